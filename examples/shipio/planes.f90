! The same as planes.c in Fortran: each process owns every n-th row of a matrix
! in one file, writes its rows collectively and reads them back.
!
!   mpif90 -o planes planes.f90 $(pkg-config --libs shipio)
!   mpirun -n 4 ./planes matrix
program planes
  use mpi
  implicit none
  integer, parameter :: rows = 256, row = 128
  double precision :: mine(row, rows), back(row, rows)
  integer :: rank, nprocs, ftype, file, error, i, j, wrong, total
  integer(kind=MPI_OFFSET_KIND) :: displacement
  character(len=1024) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, error)
  call get_command_argument(1, name)
  do i = 1, rows
    do j = 1, row
      mine(j, i) = ((i - 1) * nprocs + rank) * 1000d0 + j
    end do
  end do

  call MPI_Type_vector(rows, row, nprocs * row, MPI_DOUBLE_PRECISION, ftype, error)
  call MPI_Type_commit(ftype, error)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), &
    ior(ior(MPI_MODE_CREATE, MPI_MODE_EXCL), MPI_MODE_RDWR), &
    MPI_INFO_NULL, file, error)
  call check(error, 'open')
  displacement = int(rank, MPI_OFFSET_KIND) * row * 8
  call MPI_File_set_view(file, displacement, MPI_DOUBLE_PRECISION, ftype, &
    'native', MPI_INFO_NULL, error)
  call check(error, 'view')
  displacement = 0
  call MPI_File_write_at_all(file, displacement, mine, rows * row, &
    MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
  call check(error, 'write')
  call MPI_File_read_at_all(file, displacement, back, rows * row, &
    MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
  call check(error, 'read')
  call MPI_File_close(file, error)
  call check(error, 'close')
  call MPI_Type_free(ftype, error)

  wrong = count(mine /= back)
  call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(i0,a,i0,a,i0,a)', rows * nprocs, ' rows of ', nprocs, &
    ' processes, ', total, ' wrong numbers'
  call MPI_Finalize(error)

contains
  subroutine check(code, what)
    integer, intent(in) :: code
    character(len=*), intent(in) :: what
    integer :: ignored
    if (code == MPI_SUCCESS) return
    print '(a,a)', what, ' failed'
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine check
end program planes
