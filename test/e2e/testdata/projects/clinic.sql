-- A clinic: composite keys, enums as checks, comments on rights, arrays, jsonb, ranges of dates as columns.
CREATE TABLE @.patient (
  patient_id     bigint PRIMARY KEY,
  mrn            varchar(32) NOT NULL UNIQUE,
  "Family Name"  text NOT NULL,
  "Given Names"  text[] NOT NULL,
  born           date NOT NULL,
  sex            text NOT NULL CHECK (sex IN ('f', 'm', 'x', 'unknown')),
  contact        jsonb NOT NULL DEFAULT '{}',
  registered_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE @.ward (
  site  text NOT NULL,
  code  text NOT NULL,
  beds  smallint NOT NULL CHECK (beds > 0),
  PRIMARY KEY (site, code)
);

CREATE TABLE @.stay (
  stay_id     uuid PRIMARY KEY,
  patient_id  bigint NOT NULL REFERENCES @.patient (patient_id),
  site        text NOT NULL,
  ward        text NOT NULL,
  admitted    timestamptz NOT NULL,
  discharged  timestamptz,
  cost        numeric(14,4) NOT NULL DEFAULT 0,
  CHECK (discharged IS NULL OR discharged >= admitted),
  FOREIGN KEY (site, ward) REFERENCES @.ward (site, code)
);
