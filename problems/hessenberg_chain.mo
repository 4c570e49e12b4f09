model HessenbergChain "0 = x[1] - sin t, der(x[i]) = x[i+1]: index 6, no free initial value"
  Real x[6];
equation
  for i in 1:5 loop
    der(x[i]) = x[i + 1];
  end for;
  x[1] = sin(time) "path";
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end HessenbergChain;
