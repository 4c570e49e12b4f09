model heat200
 parameter Integer n=200; Real u[n](each start=0,each fixed=true); Real w;
equation
 w^3+w=sin(10*time);
 der(u[1])=(n+1)^2*(w-2*u[1]+u[2])+u[1]*(1-u[1]);
 for i in 2:n-1 loop der(u[i])=(n+1)^2*(u[i-1]-2*u[i]+u[i+1])+u[i]*(1-u[i]); end for;
 der(u[n])=(n+1)^2*(u[n-1]-2*u[n])+u[n]*(1-u[n]);
 annotation(experiment(StopTime=1));
end heat200;