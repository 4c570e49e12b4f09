model vdp
 Real y(start=2,fixed=true),z(start=0,fixed=true);
equation
 der(y)=z; der(z)=((1-y^2)*z-y)/1e-6;
 annotation(experiment(StopTime=2));
end vdp;