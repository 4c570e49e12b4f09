model vdp1000
 Real y(start=2,fixed=true),z(start=0,fixed=true);
equation
 der(y)=z; der(z)=1000*(1-y^2)*z-y;
 annotation(experiment(StopTime=2000));
end vdp1000;
