"""The clients, in the order of the table."""

import pathlib
import re
import shutil
import subprocess

from client import HERE, Client, Found, NotRun, compiled

EIGEN = "eigen-3.4.0"
NORMAL_EQUATIONS = ("relative; a minimum's cost moves with the square of an error of the solution, "
                    "and iterations end at a relative change of 1e-10")


class Ceres(Client):
    """Debian's libceres 2.1: pose graphs in the plane and in space, a bundle adjustment."""

    name = "ceres"
    is_light = True
    debian = ("libceres-dev", "libgoogle-glog-dev", "libeigen3-dev")
    tolerance = 1e-8
    reason = NORMAL_EQUATIONS
    timed = ("linear_solver",)

    def build(self, context):
        folder = HERE / "ceres"
        flags = ["-std=c++17", "-O2", f"-I{HERE.parent.parent}", "-isystem",
                 "/usr/include/eigen3", "-lceres", "-lglog"]
        headers = [folder / "graph.hpp", folder / "solve.hpp"]
        self.pose_graph, self.bundle = (
            compiled(context, "g++", [folder / f"{name}.cpp", *headers], name, flags)
            for name in ("pose_graph", "bundle"))

    def commands(self, context):
        graphs = ["city 400", "sphere 100", "torus 400", "city 1200"]
        if not context.light:
            graphs += ["city 3500", "sphere 2500", "city 10000", "torus 10000"]
        for graph in graphs:
            yield [self.pose_graph, *graph.split()], {}, None
        if context.options["g2o"]:
            for path in sorted(pathlib.Path(context.options["g2o"]).glob("*.g2o")):
                kind = "3d" if "SE3" in path.read_text(errors="replace") else "2d"
                yield [self.pose_graph, kind, path], {}, None
        yield [self.bundle, "100", "20"], {}, None
        if not context.light:
            yield [self.bundle, "300", "100"], {}, None


class FreeFem(Client):
    """Debian's FreeFem++ 4.11: 3-D elasticity, clamped by a penalty of 1e30.

    It finishes CHOLMOD with each matrix, and begins anew with the same pattern.
    """

    name = "freefem"
    is_light = True
    debian = ("freefem++", "libfreefem++")
    tolerance = 1e-7
    reason = ("relative; the beam's condition is about 1e8, so that solutions of a backward stable "
              "solver differ by up to 1e-8")
    timed = ("factorize", "solve")

    def commands(self, context):
        # Debian's package looks for its own plugins elsewhere.
        environment = {"FF_LOADPATH": "/usr/lib/freefem++"}
        for cells in [3] if context.light else [3, 8]:
            yield (["FreeFem++", "-nw", "-v", "0", HERE / "freefem" / "elasticity.edp", "-n",
                    str(cells)], environment, None)


class Petsc(Client):
    """Debian's PETSc 3.18: -pc_factor_mat_solver_type cholmod."""

    name = "petsc"
    debian = ("petsc-dev", "libopenmpi-dev", "pkg-config")
    timed = ("factorize", "solve")

    def build(self, context):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], text=True,
                               capture_output=True, check=False).stdout.split()
        self.laplacian = compiled(context, "mpicc", [HERE / "petsc" / "laplacian.c"], "laplacian",
                                  ["-O2", *flags, "-lm"])

    def commands(self, context):
        options = ["-ksp_type", "preonly", "-pc_type", "cholesky", "-pc_factor_mat_solver_type",
                   "cholmod"]
        for size in [14] if context.light else [14, 40]:
            yield [self.laplacian, "-n", str(size), *options], {}, None


class Octave(Client):
    """Debian's Octave 7.3: chol in its forms, A \\ b, inv, chol2inv."""

    name = "octave"
    is_light = True
    debian = ("octave",)
    timed = ("backslash_again", "chol_again")

    def commands(self, context):
        for size in [10] if context.light else [10, 25]:
            yield ["octave-cli", "--norc", HERE / "octave" / "cholesky.m", str(size)], {}, None


class Cvxopt(Client):
    """Debian's CVXOPT 1.3: cvxopt.cholmod's functions, a quadratic program."""

    name = "cvxopt"
    is_light = True
    debian = ("python3-cvxopt",)
    tolerance = 1e-6
    reason = "relative; the quadratic program's iterations end at a relative gap of 1e-6"

    def commands(self, context):
        for size in [40] if context.light else [40, 150]:
            for function in ("linsolve", "splinsolve", "numeric", "spsolve", "diag", "getfactor",
                             "refused", "program"):
                yield (["/usr/bin/python3", HERE / "python" / "cvxopt_solve.py", str(size),
                        function], self.environment_of(function), None)

    @staticmethod
    def environment_of(function):
        """diag() reads L's arrays."""
        return {"CLCHOL_FILL": "1"} if function == "diag" else {}


class CvxoptWheel(Client):
    """PyPI's CVXOPT, whose wheel brings a CHOLMOD of another version under another file name."""

    name = "cvxopt-wheel"
    pypi = ("cvxopt",)
    tolerance = Cvxopt.tolerance
    reason = Cvxopt.reason
    # A CHOLMOD whose structs are not those that the drop-in library was built for does the work.
    must_be_taken = False

    def commands(self, context):
        for function in ("linsolve", "numeric", "diag", "getfactor"):
            yield ([context.python, HERE / "python" / "cvxopt_solve.py", "40", function],
                   Cvxopt.environment_of(function), None)


class ScikitSparse(Client):
    """PyPI's scikit-sparse 0.4.16, built with Debian's CHOLMOD: its own test-suite.

    Factor.D() and others read L's arrays: CLCHOL_FILL=1.
    """

    name = "scikit-sparse"
    debian = ("libsuitesparse-dev",)
    pypi = ("numpy<2", "scipy", "scikit-sparse==0.4.16", "pytest")
    reason = "the suite's own tolerances; the same tests pass"

    def commands(self, context):
        script = "import sksparse; print(sksparse.__path__[0])"
        place = subprocess.run([context.python, "-c", script], text=True, capture_output=True,
                               check=False).stdout.strip()
        suite = pathlib.Path(place) / "test_cholmod.py"
        if not place or not suite.exists():
            raise NotRun("this scikit-sparse comes without its tests")
        # Without capturing: clchol's lines on stderr are read here.
        yield ([context.python, "-m", "pytest", "-q", "-s", "-rA", "-W", "ignore", "-p",
                "no:cacheprovider", suite], {}, read_pytest)

    def environment_with(self, context):
        return context.with_clchol(self.library) | {"CLCHOL_FILL": "1"}


def read_pytest(text, status, seconds):
    results = re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\S+)", text, re.MULTILINE)
    found = Found(times={"suite": seconds})
    found.values = {name: float(result == "PASSED") for result, name in results}
    found.values["passed"] = sum(found.values.values())
    found.values["exit status"] = float(status)
    return {"test_cholmod.py": found}


class Eigen(Client):
    """Eigen 3.4.0's own test/cholmod_support.cpp, from Debian's source package."""

    name = "eigen"
    debian = ("libsuitesparse-dev",)
    reason = "the test's own tolerances; the same subtests pass"
    # Parts of the test: double with int and long, by columns and by rows.
    parts = (11, 12, 13, 14)

    def build(self, context):
        source = pathlib.Path(context.options["eigen_source"] or context.work / EIGEN)
        test = source / "test" / "cholmod_support.cpp"
        if not test.exists():
            raise NotRun(f"no {test}; --install fetches Debian's source package")
        self.programs = {}
        for part in self.parts[:1] if context.light else self.parts:
            flags = ["-O1", "-w", f"-I{source}", f"-I{source / 'test'}",
                     "-I/usr/include/suitesparse", "-DEIGEN_TEST_MAX_SIZE=320",
                     "-DEIGEN_TEST_FUNC=cholmod_support",
                     f"-DEIGEN_TEST_PART_{part}=1", "-lcholmod"]
            self.programs[part] = compiled(context, "g++", [test], f"cholmod_support_{part}", flags)

    def commands(self, context):
        for part, program in self.programs.items():
            # The same seed both times: the same matrices.
            yield [program, "r5", "s1"], {}, self.reader(part)

    @staticmethod
    def reader(part):
        def read(text, status, seconds):
            return {f"cholmod_support_{part}": Found({"exit status": float(status)}, {},
                                                     {"test": seconds})}
        return read


class EigenComplex(Eigen):
    """The same test's complex part, whose matrices are CHOLMOD's."""

    name = "eigen-complex"
    parts = (21,)
    must_be_taken = False


class EigenSimplicial(Eigen):
    """Eigen's own test/simplicial_cholesky.cpp, with clchol::EigenCholesky for Eigen's solvers."""

    name = "eigen-simplicial"
    library = ""
    is_linked = True  # The C++ library says nothing on stderr: the solver is compiled in.
    parts = (11, 13, 21, 23)  # The real ones.

    def build(self, context):
        source = pathlib.Path(context.options["eigen_source"] or context.work / EIGEN)
        test = source / "test" / "simplicial_cholesky.cpp"
        prefix = context.options["prefix"]
        if not test.exists() or not prefix:
            raise NotRun("no --prefix" if not prefix else f"no {test}; --install fetches it")
        self.programs = {}
        for part in self.parts[:1] if context.light else self.parts:
            eigen = ["-std=gnu++20", "-O1", "-w", f"-I{source}", f"-I{source / 'test'}",
                     "-DEIGEN_TEST_MAX_SIZE=320", "-DEIGEN_TEST_FUNC=simplicial_cholesky",
                     f"-DEIGEN_TEST_PART_{part}=1"]
            clchol = [f"-I{prefix}/include", "-include", str(HERE / "eigen" / "as_simplicial.hpp"),
                      f"-L{prefix}/lib", "-lclchol", f"-Wl,-rpath,{prefix}/lib"]
            names = [f"{solvers}_simplicial_{part}" for solvers in ("eigen", "clchol")]
            self.programs[part] = [compiled(context, "g++", [test], name, flags)
                                   for name, flags in zip(names, (eigen, eigen + clchol))]

    def commands(self, context):
        for part, (eigen, _) in self.programs.items():
            # CLIENT_PROGRAM_<part> names the program that the shell runs.
            yield (["sh", "-c", '"${CLIENT_PROGRAM_' + str(part) + ':-$0}" r5 s1', eigen], {},
                   self.reader(part))

    def environment_with(self, context):
        return {f"CLIENT_PROGRAM_{part}": str(program)
                for part, (_, program) in self.programs.items()}

    @staticmethod
    def reader(part):
        def read(text, status, seconds):
            return {f"simplicial_{part}": Found({"exit status": float(status)}, {},
                                                {"test": seconds})}
        return read


class ScikitFem(Client):
    """PyPI's scikit-fem: elasticity, solved by scikit-sparse."""

    name = "scikit-fem"
    pypi = ("scikit-fem", *ScikitSparse.pypi[:3])
    debian = ScikitSparse.debian
    tolerance = 1e-8
    reason = "relative; the cube's condition is about 1e6"

    def commands(self, context):
        for cells in [7] if context.light else [7, 24]:
            yield ([context.python, HERE / "python" / "scikit_fem_elasticity.py", "scikit-sparse",
                    str(cells)], {}, None)


class ScikitFemPython(ScikitFem):
    """The same, solved by scikit-sparse without, by the Python package clchol with."""

    name = "scikit-fem-clchol"
    library = ""
    is_linked = True

    def build(self, context):
        done = subprocess.run([context.python, "-c", "import clchol"], capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise NotRun(f"{context.python} has no package clchol")

    def environment_with(self, context):
        return {"CLIENT_PACKAGE": "clchol"}


class Pypardiso(Client):
    """PyPI's pypardiso: MKL's Pardiso without, the drop-in library with.

    Its matrices are positive definite, whatever their mtype says: CLCHOL_PARDISO_SPD=1.
    """

    name = "pypardiso"
    library = "pardiso"
    pypi = ("pypardiso", "mkl", "scipy")

    def commands(self, context):
        for size in [10] if context.light else [10, 30]:
            yield [context.python, HERE / "python" / "pypardiso_solve.py", str(size)], {}, None

    def environment_with(self, context):
        environment = context.with_clchol(self.library)
        environment["PYPARDISO_MKL_RT"] = environment.pop("LD_PRELOAD")
        return environment | {"CLCHOL_PARDISO_SPD": "1"}


ALL = [Ceres, FreeFem, Petsc, Octave, Cvxopt, CvxoptWheel, ScikitSparse, Eigen, EigenComplex,
       EigenSimplicial, ScikitFem, ScikitFemPython, Pypardiso]
# Clients that cannot take a drop-in library, and why; the table says so.
CANNOT = {"R Matrix": "r-cran-matrix has a CHOLMOD of its own inside, under names of its own"}


def fetch_eigen(context):
    """Downloads and unpacks Debian's source package of Eigen into the work folder."""
    folder = context.work
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    targets = subprocess.run(["apt-get", "indextargets", "--format",
                              "$(REPO_URI) $(CODENAME) $(COMPONENT) $(ORIGIN)",
                              "Created-By: Packages"], text=True, capture_output=True, check=True)
    sources = {line.rsplit(" ", 1)[0] for line in targets.stdout.splitlines()
               if line.endswith(" Debian") and "-" not in line.split()[1]}
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    listed = folder / "sources.list"
    listed.write_text("".join(f"deb-src [signed-by={keyring}] {s}\n" for s in sorted(sources)))
    options = ["-o", f"Dir::Etc::sourcelist={listed}", "-o", "Dir::Etc::sourceparts=-", "-o",
               f"Dir::State::lists={lists}"]
    subprocess.run(["apt-get", "update", *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", "source", "--download-only", "eigen3", *options], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL)
    for archive in folder.glob("eigen3_*.orig.tar.*"):
        shutil.unpack_archive(archive, folder)
