! A Fortran program of known I/O: its own records, and MPI-IO by mpif.h.
program record_fortran
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, fh, request, i
  integer :: status(MPI_STATUS_SIZE), values(100)
  integer(kind=MPI_OFFSET_KIND) :: at
  character(len=200) :: folder

  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, folder)
  values = rank
  call mpi_file_open(MPI_COMM_WORLD, trim(folder) // '/fortran', &
       ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, fh, ierr)
  at = 0
  call mpi_file_set_view(fh, at, MPI_INTEGER, MPI_INTEGER, 'native', &
       MPI_INFO_NULL, ierr)
  do i = 1, 10
     at = (i - 1) * 200 + rank * 100
     call mpi_file_write_at_all(fh, at, values, 100, MPI_INTEGER, status, ierr)
  end do
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  at = rank * 100
  call mpi_file_iread_at(fh, at, values, 100, MPI_INTEGER, request, ierr)
  call mpi_wait(request, status, ierr)
  call mpi_file_close(fh, ierr)
  if (rank == 0) then
     open(10, file=trim(folder) // '/text', status='new')
     write(10, *) 'a line of text'
     close(10, status='delete')
  end if
  call mpi_finalize(ierr)
end program record_fortran
