"""Appends one row, given as JSON, to a table of a SQL catalogue with pyiceberg."""

import json
import sys

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

uri, warehouse, catalog_name, schema, table, row = sys.argv[1:7]
catalog = SqlCatalog(catalog_name, uri=uri, warehouse=warehouse)
loaded = catalog.load_table((schema, table))
loaded.append(pa.Table.from_pylist([json.loads(row)], schema=loaded.schema().as_arrow()))
