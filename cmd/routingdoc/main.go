// Command routingdoc prints docs/routing.md, the table of who carries which statement out.
package main

import (
	"fmt"

	"github.com/tablewright/tablewright/ddl/route"
)

const head = `# Routing

Who carries a statement out, by its node in PostgreSQL's grammar and by whether it names something managed.
This page is generated from package ddl/route (make generate); a node without a line fails its tests.

- *home*: the home database, unchanged.
- *home, names replaced*: the home database, with three-part names in the form that it knows. Queries over a
  managed table read its rows from the external system first.
- *ours*: planned and carried out by the gateway.
- *refused*: SQLSTATE 0A000, with a hint.

`

func main() { fmt.Print(head + route.Markdown()) }
