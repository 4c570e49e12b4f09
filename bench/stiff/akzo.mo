model akzo
 parameter Real k1=18.7,k2=0.58,k3=0.09,k4=0.42,Keq=34.4,klA=3.3,Ks=115.83,p=0.9,H=737;
 Real y1(start=0.444,fixed=true),y2(start=0.00123,fixed=true),y3(start=0,fixed=true),y4(start=0.007,fixed=true),y5(start=0,fixed=true),y6;
 Real r1,r2,r3,r4,r5,F;
equation
 r1=k1*y1^4*sqrt(y2); r2=k2*y3*y4; r3=k2/Keq*y1*y5; r4=k3*y1*y4^2; r5=k4*y6^2*sqrt(y2); F=klA*(p/H-y2);
 der(y1)=-2*r1+r2-r3-r4; der(y2)=-0.5*r1-r4-0.5*r5+F; der(y3)=r1-r2+r3; der(y4)=-r2+r3-2*r4; der(y5)=r2-r3+r5; 0=Ks*y1*y4-y6;
 annotation(experiment(StopTime=180));
end akzo;