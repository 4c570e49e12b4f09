model ring
 parameter Real C=1.6e-8,Cs=2e-12,Cp=1e-8,R=25e3,Rp=50,Lh=4.45,Ls1=0.002,Ls2=5e-4,Ls3=5e-4,Rg1=36.3,Rg2=17.3,Rg3=17.3,Ri=50,Rc=600,g=40.67286402e-9,d=17.7493332;
 Real y[15](each start=0,each fixed=true); Real u1,u2,u3,u4,q1,q2,q3,q4,i1,i2;
equation
 u1=y[3]-y[5]-y[7]-i2; u2=-y[4]+y[6]-y[7]-i2; u3=y[4]+y[5]+y[7]+i2; u4=-y[3]-y[6]+y[7]+i2;
 q1=g*(exp(d*u1)-1); q2=g*(exp(d*u2)-1); q3=g*(exp(d*u3)-1); q4=g*(exp(d*u4)-1);
 i1=0.5*sin(2000*3.141592653589793*time); i2=2*sin(20000*3.141592653589793*time);
 der(y[1])=(y[8]-0.5*y[10]+0.5*y[11]+y[14]-y[1]/R)/C;
 der(y[2])=(y[9]-0.5*y[12]+0.5*y[13]+y[15]-y[2]/R)/C;
 der(y[3])=(y[10]-q1+q4)/Cs; der(y[4])=(-y[11]+q2-q3)/Cs; der(y[5])=(y[12]+q1-q3)/Cs; der(y[6])=(-y[13]-q2+q4)/Cs;
 der(y[7])=(-y[7]/Rp+q1+q2-q3-q4)/Cp;
 der(y[8])=-y[1]/Lh; der(y[9])=-y[2]/Lh;
 der(y[10])=(0.5*y[1]-y[3]-Rg2*y[10])/Ls2; der(y[11])=(-0.5*y[1]+y[4]-Rg3*y[11])/Ls3;
 der(y[12])=(0.5*y[2]-y[5]-Rg2*y[12])/Ls2; der(y[13])=(-0.5*y[2]+y[6]-Rg3*y[13])/Ls3;
 der(y[14])=(-y[1]+i1-(Ri+Rg1)*y[14])/Ls1; der(y[15])=(-y[2]-(Rc+Rg1)*y[15])/Ls1;
 annotation(experiment(StopTime=1e-4));
end ring;