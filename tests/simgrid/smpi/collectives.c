/* Runs under SMPI: collectives whose times the native network's are compared with. Prints a line per
   transfer: collective, source, destination, bytes, when both ranks were ready and when the destination had
   done, in simulated seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRanks = 16, kMost = 1 << 20, kLeast = 4096 };

static int balanced(int from, int to) { return from != to ? kMost : 0; }
static int irregular(int from, int to) { return kLeast + (from * 7919 + to * 104729) % kMost; }

static void report(const char* name, int (*bytes)(int, int), double begin, double end) {
  int rank, from, to;
  double begins[kRanks], ends[kRanks];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Gather(&begin, 1, MPI_DOUBLE, begins, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(&end, 1, MPI_DOUBLE, ends, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  for (from = 0; from < kRanks; ++from) {
    for (to = 0; to < kRanks; ++to) {
      const double ready = begins[from] > begins[to] ? begins[from] : begins[to];
      if (from != to) printf("%s %d %d %d %.17g %.17g\n", name, from, to, bytes(from, to), ready, ends[to]);
    }
  }
}

int main(int argc, char** argv) {
  int rank, ranks, other, out[kRanks], in[kRanks], place[kRanks];
  char *sent = malloc((size_t)kRanks * (kMost + kLeast)), *received = malloc((size_t)kRanks * (kMost + kLeast));
  double begin;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != kRanks || !sent || !received) return 1;

  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  MPI_Alltoall(sent, kMost, MPI_CHAR, received, kMost, MPI_CHAR, MPI_COMM_WORLD);
  report("alltoall", balanced, begin, MPI_Wtime());

  for (other = 0; other < kRanks; ++other) {
    out[other] = irregular(rank, other);
    in[other] = irregular(other, rank);
    place[other] = other * (kMost + kLeast);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  MPI_Alltoallv(sent, out, place, MPI_CHAR, received, in, place, MPI_CHAR, MPI_COMM_WORLD);
  report("alltoallv", irregular, begin, MPI_Wtime());

  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
