"""Reads one table of a SQL catalogue with pyiceberg and prints what it is, and its rows in PostgreSQL's
text form, as JSON: an engine that shares no code with Tablewright."""

import datetime
import decimal
import json
import struct
import sys
import uuid

from pyiceberg.catalog.sql import SqlCatalog


def float_text(value, shortest_limit, same):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    for digits in range(0, 18):
        text = "%.*e" % (digits, value)
        if same(float(text), value):
            break
    mantissa, exponent = text.split("e")
    exponent = int(exponent)
    if -4 <= exponent < shortest_limit:
        return format(decimal.Decimal(text), "f")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return "%se%s%02d" % (mantissa, "-" if exponent < 0 else "+", abs(exponent))


def same32(a, b):
    try:
        return struct.pack("f", a) == struct.pack("f", b)
    except OverflowError:
        return False


def clock(t):
    text = "%02d:%02d:%02d" % (t.hour, t.minute, t.second)
    return text + (".%06d" % t.microsecond).rstrip("0") if t.microsecond else text


def text(value, kind):
    if value is None:
        return None
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return float_text(value, 6, same32) if "float" == kind else float_text(value, 15, lambda a, b: a == b)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes):
        return str(uuid.UUID(bytes=value)) if kind == "uuid" else "\\x" + value.hex()
    if isinstance(value, datetime.datetime):
        zone = "+00" if value.tzinfo else ""
        return "%04d-%02d-%02d " % (value.year, value.month, value.day) + clock(value) + zone
    if isinstance(value, datetime.date):
        return "%04d-%02d-%02d" % (value.year, value.month, value.day)
    if isinstance(value, datetime.time):
        return clock(value)
    if isinstance(value, list):
        return "{" + ",".join(element(text(v, kind[5:-1])) for v in value) + "}"
    return value


def element(value):
    if value is None:
        return "NULL"
    if value == "" or value.lower() == "null" or any(c in '{},"\\ \t\n\r\v\f' for c in value):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value


def main():
    uri, warehouse, catalog_name, schema, table = sys.argv[1:6]
    catalog = SqlCatalog(catalog_name, uri=uri, warehouse=warehouse)
    loaded = catalog.load_table(tuple(schema.split(".")) + (table,))
    columns = [
        {"id": f.field_id, "name": f.name, "type": str(f.field_type), "required": f.required, "doc": f.doc or ""}
        for f in loaded.schema().fields
    ]
    kinds = {c["name"]: c["type"] for c in columns}
    arrow = loaded.scan().to_arrow()
    names = arrow.schema.names
    data = [arrow.column(i).to_pylist() for i in range(len(names))]
    print(json.dumps({
        "uuid": str(loaded.metadata.table_uuid),
        "formatVersion": loaded.metadata.format_version,
        "location": loaded.location(),
        "columns": columns,
        "identifiers": sorted(loaded.schema().identifier_field_names()),
        "partitions": [
            {"source": loaded.schema().find_column_name(f.source_id), "transform": str(f.transform), "name": f.name}
            for f in loaded.spec().fields
        ],
        "sortOrder": [
            "%s %s %s %s" % (loaded.schema().find_column_name(f.source_id), f.transform, f.direction.name, f.null_order.name)
            for f in loaded.sort_order().fields
        ],
        "properties": loaded.properties,
        "names": names,
        "rows": [[text(data[i][r], kinds[names[i]]) for i in range(len(names))] for r in range(arrow.num_rows)],
        "snapshots": len(loaded.metadata.snapshots),
    }))


main()
