select * from xmltable('/r/i' passing '<r><i n="1">x</i><i n="2">y</i></r>' columns n int path '@n', v text path '.');
