// Package nodepack makes pg_query hand over its trees faster. It is imported for that effect alone.
//
// pg_query packs a tree as protobuf, twice over each node: once for its size, once for its bytes. A node of a tree is
// a PgQuery__Node, a oneof of some 270 kinds, and protobuf-c looks at every one of them to find the one that is set.
// That is a third of what reading a CREATE TABLE takes. Before a tree is packed, nodepack gives each node in it a
// descriptor with the one kind that is set; protobuf-c, which packs it as before, then has one field to look at.
//
// It stands between pg_query and protobuf-c by the linker's -wrap, on Linux; elsewhere trees are packed as they
// always were, with the same bytes.
package nodepack
