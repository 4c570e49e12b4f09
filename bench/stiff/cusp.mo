model cusp
 parameter Integer n=32; parameter Real D=n^2/144;
 Real y[n](each start=0,each fixed=true),a[n](start={-2*cos(2*i*3.141592653589793/n) for i in 1:n},each fixed=true),b[n](start={2*sin(2*i*3.141592653589793/n) for i in 1:n},each fixed=true),u[n],v[n];
equation
 for i in 1:n loop
  u[i]=(y[i]-0.7)*(y[i]-1.3); v[i]=u[i]/(u[i]+0.1);
  der(y[i])=-1e4*(y[i]^3+a[i]*y[i]+b[i])+D*(y[mod(i-2,n)+1]-2*y[i]+y[mod(i,n)+1]);
  der(a[i])=b[i]+0.07*v[i]+D*(a[mod(i-2,n)+1]-2*a[i]+a[mod(i,n)+1]);
  der(b[i])=(1-a[i]^2)*b[i]-a[i]-0.4*y[i]+0.035*v[i]+D*(b[mod(i-2,n)+1]-2*b[i]+b[mod(i,n)+1]);
 end for;
 annotation(experiment(StopTime=1.1));
end cusp;
