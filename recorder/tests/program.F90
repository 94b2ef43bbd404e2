! A Fortran program of known I/O: its own records, and MPI-IO by mpif.h or, with
! F08, by the module mpi_f08.
program record_fortran
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_File) :: fh
  type(MPI_Request) :: request, two(2)
  type(MPI_Status) :: status
#else
  implicit none
  include 'mpif.h'
  integer :: fh, request, two(2), status(MPI_STATUS_SIZE)
#endif
  integer :: rank, ierr, i, n, which, done(2), got(2), values(100)
  logical :: flag
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
  call messages
  call mpi_file_close(fh, ierr)
  if (rank == 0) then
     open(10, file=trim(folder) // '/text', status='new')
     write(10, *) 'a line of text'
     close(10, status='delete')
  end if
  call mpi_finalize(ierr)
contains
  ! All ways to wait for two messages: tags 1 and 2 of the others. MPICH 4.0's
  ! mpi_f08 counts from 0: that is left as it is.
  subroutine messages
    integer :: way
    do way = 1, 6
       do i = 1, 2
          call mpi_irecv(got(i), 1, MPI_INTEGER, 1 - rank, i, &
               MPI_COMM_WORLD, two(i), ierr)
       end do
       do i = 1, 2
          call mpi_send(10 * way + i, 1, MPI_INTEGER, 1 - rank, i, &
               MPI_COMM_WORLD, ierr)
       end do
       n = 0
       do while (n < 2)
          which = 1
          flag = .true.
          select case (way)
          case (1)
             call mpi_waitall(2, two, MPI_STATUSES_IGNORE, ierr)
             which = 2
          case (2)
             call mpi_testall(2, two, flag, MPI_STATUSES_IGNORE, ierr)
             which = 2
          case (3)
             call mpi_waitany(2, two, i, status, ierr)
#ifndef F08
             if (status(MPI_TAG) /= i) call mpi_abort(MPI_COMM_WORLD, 3, ierr)
#endif
          case (4)
             call mpi_testany(2, two, i, flag, MPI_STATUS_IGNORE, ierr)
          case (5)
             call mpi_waitsome(2, two, which, done, MPI_STATUSES_IGNORE, ierr)
#ifndef F08
             if (done(1) < 1) call mpi_abort(MPI_COMM_WORLD, 4, ierr)
#endif
          case (6)
             call mpi_testsome(2, two, which, done, MPI_STATUSES_IGNORE, ierr)
          end select
          if (flag) n = n + which
       end do
       if (two(1) /= MPI_REQUEST_NULL .or. two(2) /= MPI_REQUEST_NULL .or. &
            got(1) /= 10 * way + 1 .or. &
            got(2) /= 10 * way + 2) call mpi_abort(MPI_COMM_WORLD, 5, ierr)
    end do
  end subroutine messages
end program record_fortran
