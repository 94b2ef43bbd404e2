! test_fortran.f90 - a Fortran program writes and reads a file by turns: two
! processes, collectively and not, by a view and by explicit offsets.
program test_fortran
    use mpi
    implicit none
    integer, parameter :: n = 100, piece = 5
    integer :: rank, nprocs, fh, block, tile, i, code, wrong
    integer :: status(MPI_STATUS_SIZE), out(n), in(n)
    integer(kind=MPI_OFFSET_KIND) :: disp
    integer(kind=MPI_ADDRESS_KIND) :: extent, zero
    character(len=512) :: path

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, nprocs, code)
    call get_command_argument(1, path)
    wrong = 0
    do i = 1, n
        out(i) = 1000 * rank + i
    end do

    call MPI_File_open(MPI_COMM_WORLD, trim(path), &
        MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, code)
    call check(code == MPI_SUCCESS)
    zero = 0
    extent = 4 * piece * nprocs
    call MPI_Type_contiguous(piece, MPI_INTEGER, block, code)
    call MPI_Type_create_resized(block, zero, extent, tile, code)
    call MPI_Type_commit(tile, code)
    disp = 4 * piece * rank
    call MPI_File_set_view(fh, disp, MPI_INTEGER, tile, 'native', &
        MPI_INFO_NULL, code)
    call check(code == MPI_SUCCESS)
    call MPI_File_write_all(fh, out, n, MPI_INTEGER, status, code)
    call check(code == MPI_SUCCESS)
    in = 0
    disp = 0
    call MPI_File_read_at_all(fh, disp, in, n, MPI_INTEGER, status, code)
    call check(code == MPI_SUCCESS)
    call check(all(in == out))

    call MPI_Barrier(MPI_COMM_WORLD, code)
    disp = 0
    call MPI_File_set_view(fh, disp, MPI_INTEGER, MPI_INTEGER, 'native', &
        MPI_INFO_NULL, code)
    disp = n * rank
    call MPI_File_write_at(fh, disp, out, n, MPI_INTEGER, status, code)
    call check(code == MPI_SUCCESS)
    in = 0
    call MPI_File_read_at(fh, disp, in, n, MPI_INTEGER, status, code)
    call check(code == MPI_SUCCESS)
    call check(all(in == out))
    call MPI_File_close(fh, code)
    call check(code == MPI_SUCCESS)
    call MPI_Type_free(block, code)
    call MPI_Type_free(tile, code)
    if (wrong > 0) call MPI_Abort(MPI_COMM_WORLD, 1, code)
    call MPI_Finalize(code)

contains

    subroutine check(good)
        logical, intent(in) :: good

        if (.not. good) then
            wrong = wrong + 1
            print *, 'rank', rank, ': a check failed'
        end if
    end subroutine check
end program test_fortran
