model heat2d14
 parameter Integer n=14; Real u[n+2,n+2]; Real v[n,n](each start=0,each fixed=true); Real w;
equation
 w^3+w=sin(10*time);
 for i in 1:n loop for j in 1:n loop u[i+1,j+1]=v[i,j]; der(v[i,j])=(n+1)^2*(u[i,j+1]+u[i+2,j+1]+u[i+1,j]+u[i+1,j+2]-4*u[i+1,j+1])+v[i,j]*(1-v[i,j]); end for; end for;
 for j in 1:n+2 loop u[1,j]=w; u[n+2,j]=0; end for;
 for i in 2:n+1 loop u[i,1]=0; u[i,n+2]=0; end for;
 annotation(experiment(StopTime=1));
end heat2d14;