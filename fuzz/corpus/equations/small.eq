f(a,b)==f(b,a)
 g ( a )==h(c , d)