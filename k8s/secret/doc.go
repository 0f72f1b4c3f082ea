// Package secret keeps the secrets of catalogs: owner-only files in the layout of
// a mounted Secret volume, `<dir>/<namespace>/<name>/<key>`, or core/v1 Secrets
// on a cluster. What a job refers to by secretKeyRef is found in either.
package secret
