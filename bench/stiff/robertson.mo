model robertson
 Real y1(start=1,fixed=true),y2(start=0,fixed=true,nominal=1e-4),y3;
equation
 der(y1)=-0.04*y1+1e4*y2*y3; der(y2)=0.04*y1-1e4*y2*y3-3e7*y2^2; y1+y2+y3=1;
 annotation(experiment(StopTime=1e11));
end robertson;