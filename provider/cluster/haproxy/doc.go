// Package haproxy keeps the routes of a folder and of the HAProxy that loads it in step. The folder is ovi's
// own: HAProxy loads ovi.cfg in it beside the user's configuration, and a frontend of the user's asks
// routes.map for the backend. No other file is read or changed, and lines in these two that are not routes
// stay as they are.
//
// An address changes by the runtime API, without a reload. Only a route that comes or goes reloads HAProxy,
// through its master process: it has no call that adds a backend. Those of a Group that come or go at a time
// cost one reload.
package haproxy
