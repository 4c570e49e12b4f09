model medakzo
 parameter Integer n=200; parameter Real k=100,c=4;
 Real u[n](each start=0,each fixed=true),v[n](each start=1,each fixed=true),phi,left[n],right[n];
equation
 phi=if time<=5 then 2 else 0;
 left[1]=phi; for j in 2:n loop left[j]=u[j-1]; right[j-1]=u[j]; end for; right[n]=u[n];
 for j in 1:n loop
  der(u[j])=n*(j/n-1)^3/c^2*(right[j]-left[j])+n^2*(j/n-1)^4/c^2*(left[j]-2*u[j]+right[j])-k*u[j]*v[j];
  der(v[j])=-k*u[j]*v[j];
 end for;
 annotation(experiment(StopTime=20));
end medakzo;
