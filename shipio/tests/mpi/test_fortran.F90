! test_fortran.F90 - the calls of Fortran programs. Built three times: with
! mpif.h, and with USE_MPI or USE_MPI_F08 for the modules. Of each file the
! statistics must have counted all calls, so shipio itself did the work.
! Arguments: the folder for files; "thread" to start with MPI_Init_thread.
module library
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if !defined(USE_MPI_F08) && !defined(USE_MPI)
    include 'mpif.h'
#endif
end module

#ifdef USE_MPI_F08
#define HANDLE(of) type(of)
#define STATUS_VARIABLE type(MPI_Status)
#else
#define HANDLE(of) integer
#define STATUS_VARIABLE integer, dimension(MPI_STATUS_SIZE)
#endif

module checks
    use library
    implicit none
    integer, parameter :: offset_kind = MPI_OFFSET_KIND
    integer, parameter :: block = 5, blocks = 20, n = block * blocks
    integer, parameter :: bytes = 4 ! of an INTEGER
    integer :: me, ranks, failures = 0
    character(len=400) :: prefix ! of all files; blanks follow

contains
    subroutine check(what, got, want)
        character(len=*), intent(in) :: what
        integer, intent(in) :: got, want

        if (got == want) return
        failures = failures + 1
        if (failures <= 20) write (0, *) 'rank', me, ': ', what, ' is', got, ', not', want
    end subroutine

    subroutine check_offset(what, got, want)
        character(len=*), intent(in) :: what
        integer(offset_kind), intent(in) :: got
        integer, intent(in) :: want

        call check(what, int(got), want)
    end subroutine

    subroutine check_class(what, code, want)
        character(len=*), intent(in) :: what
        integer, intent(in) :: code, want
        integer :: class, ierr

        call MPI_Error_class(code, class, ierr)
        call check(what, class, want)
    end subroutine

    subroutine check_ok(what, code)
        character(len=*), intent(in) :: what
        integer, intent(in) :: code

        call check_class(what, code, MPI_SUCCESS)
    end subroutine

    subroutine check_count(what, status, want)
        character(len=*), intent(in) :: what
        STATUS_VARIABLE, intent(in) :: status
        integer, intent(in) :: want
        integer :: count, ierr

        call MPI_Get_count(status, MPI_INTEGER, count, ierr)
        call check(what // ': count', count, want)
    end subroutine

    subroutine check_data(what, got, want)
        character(len=*), intent(in) :: what
        integer, intent(in) :: got(:), want(:)

        call check(what // ': wrong values', count(got /= want), 0)
    end subroutine

    ! What rank writes; other values for each salt.
    function values(rank, salt) result(out)
        integer, intent(in) :: rank, salt
        integer :: out(n), i

        out = [(1000000 * salt + 1000 * rank + i, i = 1, n)]
    end function

    subroutine open_new(name, info, fh)
        character(len=*), intent(in) :: name
        HANDLE(MPI_Info), intent(in) :: info
        HANDLE(MPI_File), intent(out) :: fh
        character(len=len(prefix)) :: path
        integer :: ierr

        path = trim(prefix) // name
        call MPI_File_open(MPI_COMM_WORLD, path, &
            MPI_MODE_CREATE + MPI_MODE_EXCL + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, info, fh, ierr)
        call check_ok(name // ': open', ierr)
    end subroutine

    ! Each rank sees every ranks-th block of INTEGERs.
    subroutine set_view(fh)
        HANDLE(MPI_File), intent(in) :: fh
        HANDLE(MPI_Datatype) :: piece, filetype
        integer(MPI_ADDRESS_KIND) :: low, extent
        integer(offset_kind) :: disp
        integer :: ierr

        disp = me * block * bytes
        low = 0
        extent = ranks * block * bytes
        call MPI_Type_contiguous(block, MPI_INTEGER, piece, ierr)
        call MPI_Type_create_resized(piece, low, extent, filetype, ierr)
        call MPI_Type_free(piece, ierr)
        call MPI_Type_commit(filetype, ierr)
        call MPI_File_set_view(fh, disp, MPI_INTEGER, filetype, 'native', MPI_INFO_NULL, ierr)
        call check_ok('set_view', ierr)
        call MPI_Type_free(filetype, ierr)
    end subroutine

    ! Of earlier runs.
    subroutine forget_statistics()
        character(len=400) :: json
        integer :: unit, ierr

        call get_environment_variable('SHIPIO_STATS_JSON', json)
        open (newunit=unit, file=json, iostat=ierr)
        call check('SHIPIO_STATS_JSON, to be opened', ierr, 0)
        if (ierr == 0) close (unit, status='delete')
    end subroutine

    ! Closes, and looks in the statistics for calls of each rank.
    subroutine close_counted(name, fh, calls)
        character(len=*), intent(in) :: name
        HANDLE(MPI_File), intent(inout) :: fh
        integer, intent(in) :: calls
        character(len=400) :: json
        character(len=4000) :: line
        integer :: ierr, unit, at, counted

        call MPI_File_close(fh, ierr)
        call check_ok(name // ': close', ierr)
        if (me /= 0) return
        counted = -1
        call get_environment_variable('SHIPIO_STATS_JSON', json)
        open (newunit=unit, file=json, action='read', iostat=ierr)
        if (ierr == 0) then
            do
                read (unit, '(a)', iostat=ierr) line
                if (ierr /= 0) exit
                if (index(line, '"file":"' // trim(prefix) // name // '"') == 0) cycle
                at = index(line, '"calls":')
                if (at > 0) read (line(at + 8:), *) counted
            end do
            close (unit)
        end if
        call check(name // ': calls in the statistics', counted, calls * ranks)
    end subroutine
end module

program test_fortran
    use checks
    implicit none
    character(len=300) :: folder
    character(len=20) :: start
    integer :: ierr, level, sum
    integer(8) :: stamp ! nanoseconds: tests begin in the same millisecond

    call get_command_argument(1, folder)
    call get_command_argument(2, start)
    if (start == 'thread') then
        call MPI_Init_thread(MPI_THREAD_SINGLE, level, ierr)
    else
        call MPI_Init(ierr)
    end if
    call check_ok('init', ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    if (me == 0) call forget_statistics()
    call system_clock(stamp)
    call MPI_Bcast(stamp, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
    write (prefix, '(a,a,i0,a)') trim(folder), '/shipio-fortran-', abs(stamp), '-'

    call test_threads(start == 'thread', level)
    call test_blocking()
    call test_nonblocking()
    call test_split()
    call test_pointers()
    call test_memory()
    call test_sizes()
    call test_hints()
    call test_errors()
#ifdef USE_MPI_F08
    call test_without_ierror()
#endif

    call MPI_Allreduce(failures, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
    if (sum > 0) stop 1

contains
    ! Noncollective shipping asks for threads in MPI's place.
    subroutine test_threads(told, provided)
        logical, intent(in) :: told
        integer, intent(in) :: provided
        character(len=10) :: wanted
        integer :: have

        call get_environment_variable('SHIPIO_NONCOLLECTIVE', wanted)
        if (wanted /= '1') return
        call MPI_Query_thread(have, ierr)
        call check('level of threads', have, MPI_THREAD_MULTIPLE)
        if (told) call check('level provided', provided, MPI_THREAD_MULTIPLE)
    end subroutine

    subroutine test_blocking()
        HANDLE(MPI_File) :: fh
        HANDLE(MPI_Datatype) :: etype, filetype
        STATUS_VARIABLE :: status
        integer(offset_kind) :: offset, disp
        integer :: in(n), out(n)
        character(len=30) :: datarep

        call open_new('blocking', MPI_INFO_NULL, fh)
        call set_view(fh)
        out = values(me, 1)
        call MPI_File_write_all(fh, out, n, MPI_INTEGER, status, ierr)
        call check_ok('write_all', ierr)
        call check_count('write_all', status, n)
        call MPI_File_get_position(fh, offset, ierr)
        call check_offset('position', offset, n)
        offset = block
        call MPI_File_get_byte_offset(fh, offset, disp, ierr)
        call check_offset('byte offset', disp, (me + ranks) * block * bytes)
        call MPI_File_seek(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_read_all(fh, in, n, MPI_INTEGER, status, ierr)
        call check_ok('read_all', ierr)
        call check_count('read_all', status, n)
        call check_data('read_all', in, out)

        out = values(me, 2)
        offset = n
        call MPI_File_write_at(fh, offset, out, n, MPI_INTEGER, status, ierr)
        call check_count('write_at', status, n)
        call MPI_File_read_at(fh, offset, in, n, MPI_INTEGER, status, ierr)
        call check_count('read_at', status, n)
        call check_data('read_at', in, out)

        out = values(me, 3)
        call MPI_File_write_at_all(fh, offset, out, n, MPI_INTEGER, status, ierr)
        call check_count('write_at_all', status, n)
        call MPI_File_read_at_all(fh, offset, in, n, MPI_INTEGER, status, ierr)
        call check_count('read_at_all', status, n)
        call check_data('read_at_all', in, out)

        out = values(me, 4)
        call MPI_File_seek(fh, -offset, MPI_SEEK_CUR, ierr)
        call MPI_File_write(fh, out, n, MPI_INTEGER, status, ierr)
        call check_count('write', status, n)
        call MPI_File_seek(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_read(fh, in, n, MPI_INTEGER, status, ierr)
        call check_count('read', status, n)
        call check_data('read', in, out)

        call MPI_File_get_view(fh, disp, etype, filetype, datarep, ierr)
        call check_ok('get_view', ierr)
        call check_offset('displacement', disp, me * block * bytes)
        if (datarep /= 'native') call check('native', 0, 1)
        call MPI_Type_free(filetype, ierr)

        ! Without the view: did the pieces go where the view said?
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        call MPI_File_set_view(fh, 0_offset_kind, MPI_INTEGER, MPI_INTEGER, 'native  ', MPI_INFO_NULL, ierr)
        in = values(modulo(me + 1, ranks), 4)
        offset = (modulo(me + 1, ranks) + ranks) * block
        call MPI_File_read_at(fh, offset, out, block, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
        call check_data('second block of a neighbour', out(:block), in(block + 1:2 * block))
        call close_counted('blocking', fh, 9)
    end subroutine

    subroutine finish(what, request)
        character(len=*), intent(in) :: what
        HANDLE(MPI_Request), intent(inout) :: request
        STATUS_VARIABLE :: status

        call check_ok(what, ierr)
        call MPI_Wait(request, status, ierr)
        call check_ok(what // ': wait', ierr)
        call check_count(what, status, n)
    end subroutine

    subroutine test_nonblocking()
        HANDLE(MPI_File) :: fh
        HANDLE(MPI_Request) :: request
        integer(offset_kind) :: offset
        integer, asynchronous :: in(n), out(n)

        call open_new('nonblocking', MPI_INFO_NULL, fh)
        call set_view(fh)
        out = values(me, 1)
        call MPI_File_iwrite(fh, out, n, MPI_INTEGER, request, ierr)
        call finish('iwrite', request)
        call MPI_File_seek(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_iread(fh, in, n, MPI_INTEGER, request, ierr)
        call finish('iread', request)
        call check_data('iread', in, out)

        out = values(me, 2)
        offset = n
        call MPI_File_iwrite_at(fh, offset, out, n, MPI_INTEGER, request, ierr)
        call finish('iwrite_at', request)
        call MPI_File_iread_at(fh, offset, in, n, MPI_INTEGER, request, ierr)
        call finish('iread_at', request)
        call check_data('iread_at', in, out)

        out = values(me, 3)
        call MPI_File_iwrite_all(fh, out, n, MPI_INTEGER, request, ierr)
        call finish('iwrite_all', request)
        call MPI_File_seek(fh, offset, MPI_SEEK_SET, ierr)
        call MPI_File_iread_all(fh, in, n, MPI_INTEGER, request, ierr)
        call finish('iread_all', request)
        call check_data('iread_all', in, out)

        out = values(me, 4)
        call MPI_File_iwrite_at_all(fh, offset, out, n, MPI_INTEGER, request, ierr)
        call finish('iwrite_at_all', request)
        call MPI_File_iread_at_all(fh, offset, in, n, MPI_INTEGER, request, ierr)
        call finish('iread_at_all', request)
        call check_data('iread_at_all', in, out)
        call close_counted('nonblocking', fh, 8)
    end subroutine

    subroutine test_split()
        HANDLE(MPI_File) :: fh
        STATUS_VARIABLE :: status
        integer(offset_kind) :: offset
        integer, asynchronous :: in(n), out(n)

        call open_new('split', MPI_INFO_NULL, fh)
        call set_view(fh)
        out = values(me, 1)
        call MPI_File_write_all_begin(fh, out, n, MPI_INTEGER, ierr)
        call check_ok('write_all_begin', ierr)
        call MPI_File_write_all_end(fh, out, status, ierr)
        call check_ok('write_all_end', ierr)
        call check_count('write_all_end', status, n)
        call MPI_File_seek(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_read_all_begin(fh, in, n, MPI_INTEGER, ierr)
        call MPI_File_read_all_end(fh, in, status, ierr)
        call check_count('read_all_end', status, n)
        call check_data('read_all_end', in, out)

        out = values(me, 2)
        offset = n
        call MPI_File_write_at_all_begin(fh, offset, out, n, MPI_INTEGER, ierr)
        call MPI_File_write_at_all_end(fh, out, status, ierr)
        call check_count('write_at_all_end', status, n)
        call MPI_File_read_at_all_begin(fh, offset, in, n, MPI_INTEGER, ierr)
        call MPI_File_read_at_all_end(fh, in, status, ierr)
        call check_count('read_at_all_end', status, n)
        call check_data('read_at_all_end', in, out)

        out = values(me, 3)
        call MPI_File_set_view(fh, 0_offset_kind, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
        call MPI_File_write_ordered_begin(fh, out, n, MPI_INTEGER, ierr)
        call MPI_File_write_ordered_end(fh, out, status, ierr)
        call check_count('write_ordered_end', status, n)
        call MPI_File_seek_shared(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_read_ordered_begin(fh, in, n, MPI_INTEGER, ierr)
        call MPI_File_read_ordered_end(fh, in, status, ierr)
        call check_count('read_ordered_end', status, n)
        call check_data('read_ordered_end', in, out)
        call close_counted('split', fh, 6)
    end subroutine

    ! Every rank has read one part of a round of shared writes.
    subroutine check_shared(what, got, salt)
        character(len=*), intent(in) :: what
        integer, intent(in) :: got(:), salt
        integer :: writer, writers

        writer = modulo(got(1), 1000000) / 1000
        call check_data(what, got, values(writer, salt))
        call MPI_Allreduce(writer, writers, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call check(what // ': sum of ranks', writers, ranks * (ranks - 1) / 2)
    end subroutine

    subroutine test_pointers()
        HANDLE(MPI_File) :: fh
        HANDLE(MPI_Request) :: request
        STATUS_VARIABLE :: status
        integer(offset_kind) :: offset
        integer, asynchronous :: in(n), out(n)

        call open_new('pointers', MPI_INFO_NULL, fh)
        call MPI_File_set_view(fh, 0_offset_kind, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
        out = values(me, 1)
        call MPI_File_write_ordered(fh, out, n, MPI_INTEGER, status, ierr)
        call check_ok('write_ordered', ierr)
        call check_count('write_ordered', status, n)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        call MPI_File_get_position_shared(fh, offset, ierr)
        call check_offset('shared position', offset, n * ranks)
        call MPI_File_seek_shared(fh, 0_offset_kind, MPI_SEEK_SET, ierr)
        call MPI_File_read_ordered(fh, in, n, MPI_INTEGER, status, ierr)
        call check_count('read_ordered', status, n)
        call check_data('read_ordered', in, out)
        offset = me * n
        call MPI_File_read_at(fh, offset, in, n, MPI_INTEGER, status, ierr)
        call check_data('in order', in, out)

        out = values(me, 2)
        offset = 0
        call MPI_File_seek_shared(fh, offset, MPI_SEEK_SET, ierr)
        call MPI_File_write_shared(fh, out, n, MPI_INTEGER, status, ierr)
        call check_count('write_shared', status, n)
        call MPI_File_seek_shared(fh, offset, MPI_SEEK_SET, ierr)
        call MPI_File_read_shared(fh, in, n, MPI_INTEGER, status, ierr)
        call check_count('read_shared', status, n)
        call check_shared('read_shared', in, 2)

        out = values(me, 3)
        call MPI_File_seek_shared(fh, offset, MPI_SEEK_SET, ierr)
        call MPI_File_iwrite_shared(fh, out, n, MPI_INTEGER, request, ierr)
        call finish('iwrite_shared', request)
        call MPI_File_seek_shared(fh, offset, MPI_SEEK_SET, ierr)
        call MPI_File_iread_shared(fh, in, n, MPI_INTEGER, request, ierr)
        call finish('iread_shared', request)
        call check_shared('iread_shared', in, 3)
        call close_counted('pointers', fh, 7)
    end subroutine

    ! MPI_BOTTOM and a datatype of addresses.
    subroutine test_memory()
        HANDLE(MPI_File) :: fh
        HANDLE(MPI_Datatype) :: place
        STATUS_VARIABLE :: status
        integer(MPI_ADDRESS_KIND) :: address(1)
        integer(offset_kind) :: offset
        integer :: length(1)
        integer, asynchronous, target :: in(n), out(n)
#ifndef USE_MPI_F08
        integer :: ignored(MPI_STATUS_SIZE)

        ignored = MPI_STATUS_IGNORE
#endif
        call open_new('memory', MPI_INFO_NULL, fh)
        out = values(me, 1)
        length = n
        offset = me * n * bytes
        call MPI_Get_address(out, address(1), ierr)
        call MPI_Type_create_hindexed(1, length, address, MPI_INTEGER, place, ierr)
        call MPI_Type_commit(place, ierr)
        call MPI_File_write_at_all(fh, offset, MPI_BOTTOM, 1, place, MPI_STATUS_IGNORE, ierr)
        call check_ok('write from MPI_BOTTOM', ierr)
#ifndef USE_MPI_F08
        call check_data('MPI_STATUS_IGNORE', MPI_STATUS_IGNORE, ignored)
#endif
        call MPI_Type_free(place, ierr)
        call MPI_File_read_at_all(fh, offset, in, n, MPI_INTEGER, status, ierr)
        call check_count('written from MPI_BOTTOM', status, n)
        call check_data('written from MPI_BOTTOM', in, out)
        call close_counted('memory', fh, 2)
    end subroutine

    subroutine test_sizes()
        HANDLE(MPI_File) :: fh
        integer(offset_kind) :: bound, nbytes
        logical :: flag
        integer :: amode

        call open_new('sizes', MPI_INFO_NULL, fh)
        call MPI_File_get_amode(fh, amode, ierr)
        call check('amode', amode, MPI_MODE_CREATE + MPI_MODE_EXCL + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE)
        bound = 5000
        call MPI_File_preallocate(fh, bound, ierr)
        call check_ok('preallocate', ierr)
        call MPI_File_get_size(fh, nbytes, ierr)
        call check_offset('size', nbytes, 5000)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        bound = 70
        call MPI_File_set_size(fh, bound, ierr)
        call check_ok('set_size', ierr)
        call MPI_File_sync(fh, ierr)
        call check_ok('sync', ierr)
        call MPI_File_get_size(fh, nbytes, ierr)
        call check_offset('size', nbytes, 70)
        call MPI_File_get_atomicity(fh, flag, ierr)
        call check('atomic', merge(1, 0, flag), 0)
        call MPI_File_set_atomicity(fh, .true., ierr)
        call check_ok('set_atomicity', ierr)
        call MPI_File_get_atomicity(fh, flag, ierr)
        call check('atomic', merge(1, 0, flag), 1)
        call close_counted('sizes', fh, 0)
    end subroutine

    subroutine check_hint(fh, key, want)
        HANDLE(MPI_File), intent(in) :: fh
        character(len=*), intent(in) :: key, want
        HANDLE(MPI_Info) :: info
        character(len=MPI_MAX_INFO_VAL) :: got
        logical :: found

        call MPI_File_get_info(fh, info, ierr)
        call check_ok('get_info', ierr)
        got = ''
        call MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, got, found, ierr)
        if (got /= want) call check(key // ' = ' // trim(got) // ', equal to ' // want, 0, 1)
        call MPI_Info_free(info, ierr)
    end subroutine

    subroutine test_hints()
        HANDLE(MPI_File) :: fh
        HANDLE(MPI_Info) :: info

        call MPI_Info_create(info, ierr)
        call MPI_Info_set(info, 'IBM_largeblock_io', 'switchable', ierr)
        call MPI_Info_set(info, 'IBM_io_buffer_size', '8192', ierr)
        call open_new('hints', info, fh)
        call check_hint(fh, 'IBM_largeblock_io', 'switchable')
        call check_hint(fh, 'IBM_io_buffer_size', '8192')
        call MPI_Info_set(info, 'IBM_largeblock_io', 'true', ierr)
        call MPI_File_set_info(fh, info, ierr)
        call check_ok('set_info', ierr)
        call check_hint(fh, 'shipio_mode', 'direct')
        call MPI_Info_free(info, ierr)
        call close_counted('hints', fh, 0)
    end subroutine

    subroutine test_errors()
        HANDLE(MPI_File) :: fh
        STATUS_VARIABLE :: status
        integer :: out(n)

        call MPI_File_open(MPI_COMM_WORLD, trim(prefix) // 'none', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
        call check_class('open without a file', ierr, MPI_ERR_NO_SUCH_FILE)
        call MPI_File_open(MPI_COMM_WORLD, trim(prefix) // repeat('n', 9000), MPI_MODE_CREATE + MPI_MODE_RDWR, &
            MPI_INFO_NULL, fh, ierr)
        call check_class('open with too long a name', ierr, MPI_ERR_BAD_FILE)

        call open_new('errors', MPI_INFO_NULL, fh)
        out = values(me, 1)
        call MPI_File_write_all(fh, out, -1, MPI_INTEGER, status, ierr)
        call check_class('write with a negative count', ierr, MPI_ERR_COUNT)
        call close_counted('errors', fh, 1)
    end subroutine

#ifdef USE_MPI_F08
    subroutine test_without_ierror()
        type(MPI_File) :: fh
        integer :: in(n), out(n)

        call open_new('ierror', MPI_INFO_NULL, fh)
        out = values(me, 1)
        call MPI_File_set_view(fh, me * n * bytes + 0_offset_kind, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
        call MPI_File_write_all(fh, out, n, MPI_INTEGER, MPI_STATUS_IGNORE)
        call MPI_File_seek(fh, 0_offset_kind, MPI_SEEK_SET)
        call MPI_File_read_all(fh, in, n, MPI_INTEGER, MPI_STATUS_IGNORE)
        call check_data('without ierror', in, out)
        call close_counted('ierror', fh, 2)
    end subroutine
#endif
end program
