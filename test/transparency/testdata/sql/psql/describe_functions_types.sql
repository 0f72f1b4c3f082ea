\df lower
\df+ abs
\dfa bool_and
\dfw rank
\dft
\df nope*
\df * integer integer
\da sum
\do + integer
\dT int4
\dT+ text
\dD
\dC int4
\dc latin1*
\dO C
\dL
\dx
\dF english
\dF+ simple
\dAc hash int4
\dconfig port
\dp pg_am
\l tablewright
\dn pub*
\dg writer
\du writer
\db pg_default
\ddp
\drds
\dew iceberg
\des
\deu
\dRp
\dy
\dl
\dX
\dP
\dnope
