model Cancellation "A DAE whose structure tells the wrong index"
  // With s = x + y the equations are s' + x = cos t and s = t. The second gives s' = 1, the first
  // then x = cos t - 1, and x' needs s'', the second derivative of "sum": index 2, no free initial
  // value. Counting alone sees x and y in both equations: it takes x' from "rate" and y' from the
  // derivative of "sum", and finds index 1 and one state. But x' and y' stand there with the same
  // coefficients: the system Jacobian [1 1; 1 1] is singular, whatever the values.
  Real x;
  Real y;
equation
  der(x) + der(y) + x = cos(time) "rate";
  x + y = time "sum";
  annotation(experiment(StartTime = 0, StopTime = 5));
end Cancellation;
