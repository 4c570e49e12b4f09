model beam
 parameter Integer n=40;
 Real s[n](each start=0,each fixed=true),p[n](each start=0,each fixed=true),w[n],g[n],F;
equation
 F=if time<=3.141592653589793 then 1.5*sin(time)^2 else 0;
 g[1]=n^4*(-3*s[1]+s[2])+n^2*F*(cos(s[1])+sin(s[1]));
 for l in 2:n-1 loop g[l]=n^4*(s[l-1]-2*s[l]+s[l+1])+n^2*F*(cos(s[l])+sin(s[l])); end for;
 g[n]=n^4*(s[n-1]-s[n])+n^2*F*(cos(s[n])+sin(s[n]));
 der(s)=p;
 der(p[1])=g[1]-cos(s[1]-s[2])*g[2]-sin(s[1]-s[2])*w[2];
 0=w[1]-cos(s[1]-s[2])*w[2]+sin(s[1]-s[2])*g[2]-p[1]^2;
 for l in 2:n-1 loop
  der(p[l])=2*g[l]-cos(s[l]-s[l-1])*g[l-1]-cos(s[l]-s[l+1])*g[l+1]-sin(s[l]-s[l-1])*w[l-1]-sin(s[l]-s[l+1])*w[l+1];
  0=2*w[l]-cos(s[l]-s[l-1])*w[l-1]-cos(s[l]-s[l+1])*w[l+1]+sin(s[l]-s[l-1])*g[l-1]+sin(s[l]-s[l+1])*g[l+1]-p[l]^2;
 end for;
 der(p[n])=3*g[n]-cos(s[n]-s[n-1])*g[n-1]-sin(s[n]-s[n-1])*w[n-1];
 0=3*w[n]-cos(s[n]-s[n-1])*w[n-1]+sin(s[n]-s[n-1])*g[n-1]-p[n]^2;
 annotation(experiment(StopTime=5));
end beam;
