-- Telemetry of machines: what any columnar store takes.
CREATE TABLE @.device (
  id         uuid NOT NULL,
  "Serial#"  text NOT NULL,
  model      text,
  firmware   text[],
  installed  date,
  active     boolean NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE @.reading (
  device    uuid NOT NULL,
  at        timestamptz NOT NULL,
  local_at  timestamp,
  celsius   real,
  volts     double precision,
  pulses    bigint,
  quality   smallint,
  raw       bytea,
  charge    numeric(20,6),
  PRIMARY KEY (device, at)
);

CREATE TABLE @.reading_rejected (LIKE @.reading);
