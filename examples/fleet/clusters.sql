-- A table of six clusters: sqlite3 clusters.db < clusters.sql
CREATE TABLE IF NOT EXISTS clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE NOT NULL,
  provider TEXT NOT NULL,
  subnet TEXT,
  node_port INTEGER,
  pf_port INTEGER,
  http_port INTEGER,
  https_port INTEGER,
  server_ip TEXT,
  status TEXT DEFAULT 'unknown',
  desired_state TEXT DEFAULT 'present',
  actual_state TEXT DEFAULT 'unknown',
  last_reconciled_at TIMESTAMP,
  reconcile_error TEXT,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_clusters_name ON clusters(name);

-- Rows that exist already stay as they are.
INSERT OR IGNORE INTO clusters (name, provider, subnet, node_port, pf_port, http_port, https_port) VALUES
  ('dev', 'k3d', '10.101.0.0/16', 30080, 19001, 18090, 18443),
  ('uat', 'k3d', '10.102.0.0/16', 30080, 19002, 18091, 18444),
  ('prod', 'k3d', '10.103.0.0/16', 30080, 19003, 18092, 18445),
  ('dev-a', 'kind', NULL, 30081, 19011, 18093, 18446),
  ('dev-b', 'kind', NULL, 30082, 19012, 18094, 18447),
  ('dev-c', 'kind', NULL, 30083, 19013, 18095, 18448);
