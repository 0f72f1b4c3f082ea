-- A shop, across the home database (public), a lake of Iceberg tables with two schemas, and, when
-- TABLEWRIGHT_DEMO_POSTGRES names one, another PostgreSQL. Every statement is real: what it makes stays.

-- The client wants to hear of each job at once.
SET tablewright.notice_after = 0;

-- Home: an ordinary table of the home database, beside everything else.
CREATE TABLE public.currency (
  code char(3) PRIMARY KEY,
  name text NOT NULL
);
INSERT INTO public.currency VALUES ('EUR', 'Euro'), ('USD', 'US Dollar');

-- Two schemas of the lake. Its tables are made by jobs; the notices show how far they are.
CREATE SCHEMA lake.sales;
CREATE SCHEMA lake.web;

CREATE TABLE lake.sales.customers (
  id bigint PRIMARY KEY,
  "Full Name" text NOT NULL,
  email text,
  joined timestamptz NOT NULL,
  labels text[]
);

CREATE TABLE lake.sales.products (
  sku text PRIMARY KEY,
  title text NOT NULL,
  price numeric(12,2) NOT NULL,
  currency text NOT NULL
) WITH (sort_order = 'sku');

CREATE TABLE lake.sales.orders (
  id bigint NOT NULL,
  line integer NOT NULL,
  customer bigint NOT NULL,
  sku text NOT NULL,
  quantity integer NOT NULL,
  placed timestamptz NOT NULL,
  PRIMARY KEY (id, line)
) PARTITIONED BY (days(placed));

-- In one transaction: both or none.
BEGIN;
CREATE TABLE lake.sales.payments (
  id uuid NOT NULL,
  order_id bigint NOT NULL,
  amount numeric(12,2) NOT NULL,
  paid date
);
CREATE TABLE lake.web.events (
  at timestamptz NOT NULL,
  visitor uuid,
  kind text NOT NULL,
  detail text
) PARTITIONED BY (days(at), bucket(8, visitor));
COMMIT;

INSERT INTO lake.sales.customers VALUES
  (1, 'Ada Lovelace', 'ada@example.com', '2026-01-02 09:30:00+00', '{early,"vip, gold"}'),
  (2, 'Grace Hopper', NULL, '2026-02-03 17:00:00+00', NULL);
INSERT INTO lake.sales.orders VALUES
  (10, 1, 1, 'tea-1', 2, '2026-03-01 12:00:00+00'),
  (10, 2, 1, 'cup-7', 1, '2026-03-01 12:00:00+00'),
  (11, 1, 2, 'tea-1', 5, '2026-03-02 08:15:00+00');

-- Rows come back with PostgreSQL's own semantics.
SELECT id, "Full Name", labels[2] AS second_label FROM lake.sales.customers ORDER BY id;
SELECT sku, sum(quantity) AS sold FROM lake.sales.orders GROUP BY sku ORDER BY sku;

-- A mistake comes back at once, with its place.
CREATE TABLE lake.sales.broken (id bigint, spot point);

-- What a statement would do, before it does it.
EXPLAIN DROP TABLE lake.web.events;

-- What was asked, and what became of it.
SHOW JOBS;
