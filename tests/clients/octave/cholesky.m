% Sparse Cholesky factorizations of Octave: chol in its forms, A \ b, inv, chol2inv, det, rcond.
%
%   octave-cli --norc cholesky.m SIZE
%
% A is the 7-point Laplacian of a cube of SIZE^3 points, plus the identity.  Where Octave orders by
% itself R and Q depend on the ordering: what does not depend on it is printed.

n = str2double(argv(){end});
e = ones(n, 1);
T = spdiags([-e, 2 * e, -e], -1:1, n, n);
I = speye(n);
A = kron(kron(T, I), I) + kron(kron(I, T), I) + kron(kron(I, I), T) + speye(n^3);
N = n^3;
x = sin((1:N)' * 0.37);
b = A * x;
weights = cos((1:N)' * 0.11);

function value(name, number)
  printf("value %s %.17g\n", name, full(number));
end
function bound(name, number)
  printf("bound %s %.3g\n", name, full(number));
end
function seconds(name, number)
  printf("time %s %.6g\n", name, number);
end

printf("case sparse %d\n", N);
tic; y = A \ b; seconds("backslash", toc);
value("backslash", weights' * y);
bound("backslash_error", norm(y - x, inf));
B = sparse(b * [1, 2, 3]);
Y = A \ B;
value("sparse_right_hand_sides", weights' * Y(:, 3));

R = chol(A);
bound("chol_residual", norm(R' * R - A, 1) / norm(A, 1));
bound("chol_below_diagonal", nnz(tril(R, -1)));
value("chol_first", R(1, 1));
value("chol_trace", sum(diag(R)));
value("chol_sum", weights' * (R * x));

[R, p, Q] = chol(A);
value("chol_pQ_p", p);
bound("chol_pQ_residual", norm(R' * R - Q' * A * Q, 1) / norm(A, 1));
value("chol_pQ_logdet", 2 * sum(log(diag(R))));

[R, p, q] = chol(A, "vector");
bound("chol_vector_residual", norm(R' * R - A(q, q), 1) / norm(A, 1));
value("chol_vector_is_permutation", isequal(sort(q(:)), (1:N)'));

L = chol(A, "lower");
bound("chol_lower_residual", norm(L * L' - A, 1) / norm(A, 1));

value("logdet", log(det(A / 7)));
m = min(n, 5);
S = A(1:m^2, 1:m^2);
V = inv(S);
bound("inv_residual", norm(V * S - speye(m^2), 1));
value("inv_sum", sum(sum(V)));
W = cholinv(S);
bound("cholinv_residual", norm(W * S - speye(m^2), 1));
W = chol2inv(chol(S));
bound("chol2inv_residual", norm(W * S - speye(m^2), 1));

% Not positive definite, at the last row: A \ b goes on to another solver, chol says where.
D = A;
D(N, N) = -1;
z = D \ b;
bound("indefinite_residual", norm(D * z - b, inf) / norm(b, inf));
[R, p] = chol(D);
value("not_positive_definite_at", p);
% Complex and Hermitian: CHOLMOD's alone.
C = S + 1i * (triu(S, 1) - tril(S, -1)) / 8;
z = C \ (C * x(1:m^2));
bound("complex_error", norm(z - x(1:m^2), inf));

% Warm: the second time.
b2 = A * weights;
tic; y = A \ b2; seconds("backslash_again", toc);
tic; [R, p, Q] = chol(A); seconds("chol_again", toc);
