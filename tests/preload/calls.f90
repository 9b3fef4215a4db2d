! SPDX-License-Identifier: BSD-3-Clause
!
! The calls from Fortran, blocking and not, by the old interface and by mpi_f08, with what must come checked: rank r sends
! r + 1 elements of value 100 r + d to rank d. In
! MPI_Alltoall all send two. One call is in place, which is MPI's.
module old_interface
contains
    subroutine run(ranks, rank, failures)
        use mpi
        integer, intent(in) :: ranks, rank
        integer, intent(inout) :: failures
        integer :: error, d, s, at
        integer :: send_count(ranks), send_at(ranks), receive_count(ranks), receive_at(ranks), types(ranks)
        integer, allocatable :: outgoing(:), incoming(:)
        integer, allocatable :: third(:), byte_at(:), byte_places(:)
        integer :: outgoing_pairs(2 * ranks), incoming_pairs(2 * ranks), requests(3)
        do d = 1, ranks
            send_count(d) = rank + 1
            send_at(d) = (d - 1) * (rank + 1)
            receive_count(d) = d
            receive_at(d) = d * (d - 1) / 2
        end do
        allocate(outgoing(ranks * (rank + 1)), incoming(ranks * (ranks + 1) / 2), third(ranks * (ranks + 1) / 2))
        allocate(byte_at(ranks), byte_places(ranks))
        byte_at = 4 * send_at
        byte_places = 4 * receive_at
        do d = 0, ranks - 1
            outgoing(send_at(d + 1) + 1 : send_at(d + 1) + rank + 1) = 100 * rank + d
        end do
        incoming = -1
        call mpi_alltoallv(outgoing, send_count, send_at, MPI_INTEGER, &
                           incoming, receive_count, receive_at, MPI_INTEGER, MPI_COMM_WORLD, error)
        call check(error)
        incoming = -1
        types = MPI_INTEGER
        call mpi_alltoallw(outgoing, send_count, 4 * send_at, types, &
                           incoming, receive_count, 4 * receive_at, types, MPI_COMM_WORLD, error)
        call check(error)
        do d = 0, ranks - 1
            outgoing_pairs(2 * d + 1 : 2 * d + 2) = 100 * rank + d
        end do
        incoming_pairs = -1
        call mpi_alltoall(outgoing_pairs, 2, MPI_INTEGER, incoming_pairs, 1, MPI_2INTEGER, MPI_COMM_WORLD, error)
        do s = 0, ranks - 1
            if (any(incoming_pairs(2 * s + 1 : 2 * s + 2) /= 100 * s + rank)) failures = failures + 1
        end do
        ! Not blocking, several at once; a barrier is where they get a plan.
        incoming = -1
        incoming_pairs = -1
        third = -1
        call mpi_ialltoallv(outgoing, send_count, send_at, MPI_INTEGER, &
                            incoming, receive_count, receive_at, MPI_INTEGER, MPI_COMM_WORLD, requests(1), error)
        call mpi_ialltoall(outgoing_pairs, 2, MPI_INTEGER, incoming_pairs, 1, MPI_2INTEGER, MPI_COMM_WORLD, requests(2), error)
        call mpi_ialltoallw(outgoing, send_count, byte_at, types, &
                            third, receive_count, byte_places, types, MPI_COMM_WORLD, requests(3), error)
        call mpi_waitall(3, requests, MPI_STATUSES_IGNORE, error)
        call check(error)
        if (any(third /= incoming)) failures = failures + 1
        do s = 0, ranks - 1
            if (any(incoming_pairs(2 * s + 1 : 2 * s + 2) /= 100 * s + rank)) failures = failures + 1
        end do
        call mpi_barrier(MPI_COMM_WORLD, error)
        ! In place, with one element for each.
        send_count = 1
        do d = 1, ranks
            send_at(d) = d - 1
            incoming(d) = 1000 * rank + d - 1
        end do
        call mpi_alltoallv(MPI_IN_PLACE, send_count, send_at, MPI_INTEGER, &
                           incoming, send_count, send_at, MPI_INTEGER, MPI_COMM_WORLD, error)
        do s = 0, ranks - 1
            if (incoming(s + 1) /= 1000 * s + rank) failures = failures + 1
        end do
    contains
        subroutine check(code)
            integer, intent(in) :: code
            if (code /= MPI_SUCCESS) failures = failures + 1
            do s = 0, ranks - 1
                at = receive_at(s + 1)
                if (any(incoming(at + 1 : at + s + 1) /= 100 * s + rank)) failures = failures + 1
            end do
        end subroutine
    end subroutine
end module

module modern_interface
contains
    subroutine run_f08(ranks, rank, failures)
        use mpi_f08
        integer, intent(in) :: ranks, rank
        integer, intent(inout) :: failures
        integer :: below, above
        integer, asynchronous :: counts(2), places(2)
        integer(MPI_ADDRESS_KIND), asynchronous :: addresses(2)
        integer, asynchronous :: outgoing(2), incoming(2)
        type(MPI_Datatype) :: types(2)
        type(MPI_Comm) :: ring
        type(MPI_Request) :: request
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
        call MPI_Cart_shift(ring, 0, 1, below, above)
        counts = 1
        places = [0, 1]
        outgoing = [10 * rank, 10 * rank + 1]
        incoming = -1
        call MPI_Neighbor_alltoallv(outgoing, counts, places, MPI_INTEGER, incoming, counts, places, MPI_INTEGER, ring)
        call check()
        addresses = [0, 4]
        types = MPI_INTEGER
        incoming = -1
        call MPI_Neighbor_alltoallw(outgoing, counts, addresses, types, incoming, counts, addresses, types, ring)
        call check()
        incoming = -1
        call MPI_Neighbor_alltoall(outgoing, 1, MPI_INTEGER, incoming, 1, MPI_INTEGER, ring)
        call check()
        call MPI_Barrier(ring)
        incoming = -1
        call MPI_Ineighbor_alltoall(outgoing, 1, MPI_INTEGER, incoming, 1, MPI_INTEGER, ring, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check()
        incoming = -1
        call MPI_Ineighbor_alltoallv(outgoing, counts, places, MPI_INTEGER, incoming, counts, places, MPI_INTEGER, ring, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check()
        incoming = -1
        call MPI_Ineighbor_alltoallw(outgoing, counts, addresses, types, incoming, counts, addresses, types, ring, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check()
        call MPI_Comm_free(ring)
    contains
        ! What the one below sent upwards, and the one above downwards.
        subroutine check()
            if (ranks > 2 .and. any(incoming /= [10 * below + 1, 10 * above])) failures = failures + 1
        end subroutine
    end subroutine
end module

program calls
    use mpi_f08
    use old_interface, only: run
    use modern_interface, only: run_f08
    implicit none
    integer :: rank, ranks, failures, all, i
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    failures = 0
    do i = 1, 20
        call run(ranks, rank, failures)
        call run_f08(ranks, rank, failures)
    end do
    call MPI_Allreduce(failures, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0 .and. all == 0) print '(a)', 'all came as it should'
    call MPI_Finalize()
    if (all > 0) error stop 1
end program
