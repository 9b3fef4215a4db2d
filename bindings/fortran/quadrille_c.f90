! SPDX-License-Identifier: BSD-3-Clause
! The interface of C, made from the headers by bindings/fortran/generate. For people there is quadrille.f90.
module quadrille_constants
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  public
  private :: c_int
  integer(c_int), parameter :: QDR_OK = 0
  integer(c_int), parameter :: QDR_ERR_INVALID = 1
  integer(c_int), parameter :: QDR_ERR_SYNTAX = 2
  integer(c_int), parameter :: QDR_ERR_UNKNOWN = 3
  integer(c_int), parameter :: QDR_ERR_RANGE = 4
  integer(c_int), parameter :: QDR_ERR_MEMORY = 5
  integer(c_int), parameter :: QDR_ERR_FILE = 6
  integer(c_int), parameter :: QDR_ERR_VALUELESS = 7
  integer(c_int), parameter :: QDR_ERR_BROKEN = 8
  integer(c_int), parameter :: QDR_ERR_RUNTIME = 9
  integer(c_int), parameter :: QDR_ERR_MPI = 10
  integer(c_int), parameter :: QDR_ERR_MISMATCH = 11
  integer(c_int), parameter :: QDR_ERR_STALLED = 12
  integer(c_int), parameter :: QDR_ERR_LOST = 13
  integer(c_int), parameter :: QDR_ERR_GONE = 14
  integer(c_int), parameter :: QDR_ERR_BUSY = 15
  integer(c_int), parameter :: QDR_ERR_PEER = 16
  integer(c_int), parameter :: QDR_ERR_UNMATCHED = 17
  integer(c_int), parameter :: QDR_ERR_DEADLOCK = 18
  integer(c_int), parameter :: QDR_ERR_FULL = 19
  integer(c_int), parameter :: QDR_BYTE = 1
  integer(c_int), parameter :: QDR_INT8 = 2
  integer(c_int), parameter :: QDR_INT16 = 3
  integer(c_int), parameter :: QDR_INT32 = 4
  integer(c_int), parameter :: QDR_INT64 = 5
  integer(c_int), parameter :: QDR_UINT8 = 6
  integer(c_int), parameter :: QDR_UINT16 = 7
  integer(c_int), parameter :: QDR_UINT32 = 8
  integer(c_int), parameter :: QDR_UINT64 = 9
  integer(c_int), parameter :: QDR_FLOAT = 10
  integer(c_int), parameter :: QDR_DOUBLE = 11
  integer(c_int), parameter :: QDR_FLOAT_COMPLEX = 12
  integer(c_int), parameter :: QDR_DOUBLE_COMPLEX = 13
  integer(c_int), parameter :: QDR_REPLACE = 0
  integer(c_int), parameter :: QDR_SUM = 1
  integer(c_int), parameter :: QDR_PRODUCT = 2
  integer(c_int), parameter :: QDR_MINIMUM = 3
  integer(c_int), parameter :: QDR_MAXIMUM = 4
  integer(c_int), parameter :: QDR_LOGICAL_AND = 5
  integer(c_int), parameter :: QDR_LOGICAL_OR = 6
  integer(c_int), parameter :: QDR_LOGICAL_XOR = 7
  integer(c_int), parameter :: QDR_BITWISE_AND = 8
  integer(c_int), parameter :: QDR_BITWISE_OR = 9
  integer(c_int), parameter :: QDR_BITWISE_XOR = 10
  integer(c_int), parameter :: QDR_COMBINE = 11
  integer(c_int), parameter :: QDR_MEMORY_HOST = 0
  integer(c_int), parameter :: QDR_MEMORY_DEVICE = 1
  integer(c_int), parameter :: QDR_MOST_DIMENSIONS = 16
  integer(c_int), parameter :: QDR_ROW_MAJOR = 0
  integer(c_int), parameter :: QDR_COLUMN_MAJOR = 1
  integer(c_int), parameter :: QDR_WHOLE = 0
  integer(c_int), parameter :: QDR_BLOCK = 1
  integer(c_int), parameter :: QDR_CYCLIC = 2
  integer(c_int), parameter :: QDR_CUTS = 3
  integer(c_int), parameter :: QDR_HERE = -1
  integer(c_int), parameter :: QDR_PORTS_FULL = 0
  integer(c_int), parameter :: QDR_PORTS_HALF = 1
  integer(c_int), parameter :: QDR_PORTS_PAIRED = 2
  integer(c_int), parameter :: QDR_SENDS_BUFFERED = 0
  integer(c_int), parameter :: QDR_SENDS_SYNCHRONOUS = 1
  integer(c_int), parameter :: QDR_SWITCHING_PACKET = 0
  integer(c_int), parameter :: QDR_SWITCHING_CIRCUIT = 1
  integer(c_int), parameter :: QDR_CLASS_EMPTY = 0
  integer(c_int), parameter :: QDR_CLASS_ONE_TO_ONE = 1
  integer(c_int), parameter :: QDR_CLASS_ONE_TO_MANY = 2
  integer(c_int), parameter :: QDR_CLASS_ONE_TO_ALL = 3
  integer(c_int), parameter :: QDR_CLASS_MANY_TO_ONE = 4
  integer(c_int), parameter :: QDR_CLASS_ALL_TO_ONE = 5
  integer(c_int), parameter :: QDR_CLASS_PERMUTATION = 6
  integer(c_int), parameter :: QDR_CLASS_ALL_TO_ALL = 7
  integer(c_int), parameter :: QDR_CLASS_ALL_TO_MANY = 8
  integer(c_int), parameter :: QDR_CLASS_MANY_TO_ALL = 9
  integer(c_int), parameter :: QDR_CLASS_MANY_TO_MANY = 10
  integer(c_int), parameter :: QDR_KNOWS_ROW = 0
  integer(c_int), parameter :: QDR_KNOWS_ROW_AND_COLUMN = 1
  integer(c_int), parameter :: QDR_KNOWS_MATRIX = 2
  integer(c_int), parameter :: QDR_PROMISES_PERMUTATION = 1
  integer(c_int), parameter :: QDR_PROMISES_PAIRS = 2
  integer(c_int), parameter :: QDR_PROMISES_LINKS = 4
  integer(c_int), parameter :: QDR_PROMISES_LIMIT = 8
  integer(c_int), parameter :: QDR_EVENT_START = 0
  integer(c_int), parameter :: QDR_EVENT_GRANT = 1
  integer(c_int), parameter :: QDR_EVENT_SEND = 2
  integer(c_int), parameter :: QDR_EVENT_ARRIVAL = 3
  integer(c_int), parameter :: QDR_EVENT_END = 4
  integer(c_int), parameter :: QDR_EVENT_WINDOW = 5
  integer(c_int), parameter :: QDR_MOST_COUPLED = 64
  integer(c_int), parameter :: QDR_EXACT = 0
  integer(c_int), parameter :: QDR_BEFORE = 1
  integer(c_int), parameter :: QDR_AFTER = 2
  integer(c_int), parameter :: QDR_NEAREST = 3
  integer(c_int), parameter :: QDR_REVERSE_NONE = 0
  integer(c_int), parameter :: QDR_REVERSE_COMBINE = 1
  integer(c_int), parameter :: QDR_REVERSE_REPLACE = 2
  integer(c_int), parameter :: QDR_FORWARD = 0
  integer(c_int), parameter :: QDR_REVERSE = 1
  integer(c_int), parameter :: QDR_MOST_FIELDS = 64
  integer(c_int), parameter :: QDR_PLACE_HASH = 0
  integer(c_int), parameter :: QDR_PLACE_BLOCK = 1
  integer(c_int), parameter :: QDR_PLACE_FUNCTION = 2
  integer(c_int), parameter :: QDR_NOBODY = -1
  integer(c_int), parameter :: QDR_DIRECTORY_INSERT_VERB = 0
  integer(c_int), parameter :: QDR_DIRECTORY_UPDATE_VERB = 1
  integer(c_int), parameter :: QDR_DIRECTORY_REMOVE_VERB = 2
  integer(c_int), parameter :: QDR_DIRECTORY_FIND_VERB = 3
  integer(c_int), parameter :: QDR_COLOUR_TEXT = 24
end module quadrille_constants

module quadrille_c
  use, intrinsic :: iso_c_binding
  use quadrille_comm, only: c_comm
  use quadrille_constants
  implicit none
  public

  type, bind(C) :: c_environment_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: kind = c_null_ptr
    type(c_ptr) :: expected = c_null_ptr
    type(c_ptr) :: standard = c_null_ptr
    type(c_ptr) :: reader = c_null_ptr
    type(c_ptr) :: meaning = c_null_ptr
  end type c_environment_info

  type, bind(C) :: c_axis
    integer(c_int64_t) :: extent = 0
    integer(c_int) :: spread = 0
    integer(c_int) :: parts = 0
    integer(c_int64_t) :: block = 0
    type(c_ptr) :: cut = c_null_ptr
    integer(c_int64_t) :: ghost_below = 0
    integer(c_int64_t) :: ghost_above = 0
  end type c_axis

  type, bind(C) :: c_storage
    integer(c_size_t) :: size = 0
    integer(c_int) :: order = 0
    type(c_ptr) :: stride = c_null_ptr
    integer(c_int64_t) :: offset = 0
    type(c_ptr) :: rank = c_null_ptr
  end type c_storage

  type, bind(C) :: c_box
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
    type(c_ptr) :: stride = c_null_ptr
    integer(c_int64_t) :: offset = 0
  end type c_box

  type, bind(C) :: c_machine_parameters
    integer(c_int) :: ranks = 0
    real(c_double) :: tau = 0
    real(c_double) :: mu = 0
    real(c_double) :: hop = 0
    real(c_double) :: copy = 0
    integer(c_int) :: ports = 0
    integer(c_int) :: sends = 0
    integer(c_int64_t) :: buffer = 0
    integer(c_int) :: switching = 0
    integer(c_int64_t) :: packet = 0
    integer(c_int64_t) :: payload = 0
    real(c_double) :: barrier = 0
    real(c_double) :: combine = 0
    real(c_double) :: scan = 0
    real(c_double) :: broadcast = 0
    integer(c_int64_t) :: queue = 0
    real(c_double) :: timeout = 0
    integer(c_int) :: node_ranks = 0
    integer(c_int) :: node_cards = 0
  end type c_machine_parameters

  type, bind(C) :: c_machine_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
    type(c_ptr) :: spec = c_null_ptr
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
    integer(c_int) :: is_preset = 0
  end type c_machine_info

  type, bind(C) :: c_message
    integer(c_int) :: origin = 0
    integer(c_int) :: destination = 0
    integer(c_int64_t) :: items = 0
  end type c_message

  type, bind(C) :: c_pattern_view
    integer(c_int) :: ranks = 0
    integer(c_int64_t) :: messages = 0
    type(c_ptr) :: origin = c_null_ptr
    type(c_ptr) :: destination = c_null_ptr
    type(c_ptr) :: items = c_null_ptr
    type(c_ptr) :: row_start = c_null_ptr
    type(c_ptr) :: column_start = c_null_ptr
    type(c_ptr) :: column_message = c_null_ptr
    type(c_ptr) :: local = c_null_ptr
  end type c_pattern_view

  type, bind(C) :: c_pattern_statistics
    integer(c_int) :: ranks = 0
    integer(c_int64_t) :: messages = 0
    integer(c_int64_t) :: items = 0
    integer(c_int64_t) :: local_items = 0
    real(c_double) :: density = 0
    integer(c_int64_t) :: fan_out = 0
    integer(c_int64_t) :: fan_in = 0
    integer(c_int64_t) :: degree = 0
    integer(c_int64_t) :: out_traffic = 0
    integer(c_int64_t) :: in_traffic = 0
    integer(c_int64_t) :: traffic = 0
    integer(c_int64_t) :: both_traffic = 0
    integer(c_int64_t) :: smallest = 0
    integer(c_int64_t) :: largest = 0
    real(c_double) :: mean = 0
    real(c_double) :: deviation = 0
    integer(c_int) :: uniform = 0
    integer(c_int) :: equal_traffic = 0
    integer(c_int) :: symmetric_structure = 0
    integer(c_int) :: kind = 0
  end type c_pattern_statistics

  type, bind(C) :: c_pattern_family_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: example = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
  end type c_pattern_family_info

  type, bind(C) :: c_move
    integer(c_int64_t) :: message = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: units = 0
    integer(c_int) :: from = 0
    integer(c_int) :: to = 0
  end type c_move

  type, bind(C) :: c_moves_view
    type(c_ptr) :: method = c_null_ptr
    integer(c_int) :: ranks = 0
    integer(c_int64_t) :: phases = 0
    type(c_ptr) :: phase_start = c_null_ptr
    type(c_ptr) :: move = c_null_ptr
    integer(c_int64_t) :: total = 0
    integer(c_int64_t) :: room = 0
    integer(c_int64_t) :: bound = 0
    integer(c_int64_t) :: parked = 0
  end type c_moves_view

  type, bind(C) :: c_moves_method_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
    type(c_ptr) :: promise = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
    integer(c_int) :: parks = 0
  end type c_moves_method_info

  type, bind(C) :: c_algorithm_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: aliases = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
    integer(c_int) :: knowledge = 0
    integer(c_int) :: promises = 0
    integer(c_int) :: direct = 0
    integer(c_int) :: at_run_time = 0
    integer(c_int) :: needs_machine = 0
    integer(c_int) :: by_nodes = 0
  end type c_algorithm_info

  type, bind(C) :: c_schedule_info
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: spec = c_null_ptr
    integer(c_int) :: promises = 0
    integer(c_int) :: ranks = 0
    integer(c_int) :: stages = 0
    integer(c_int64_t) :: phases = 0
    integer(c_int64_t) :: transfers = 0
    integer(c_int) :: direct = 0
  end type c_schedule_info

  type, bind(C) :: c_piece
    integer(c_int) :: origin = 0
    integer(c_int) :: destination = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: length = 0
  end type c_piece

  type, bind(C) :: c_transfer
    integer(c_int64_t) :: phase = 0
    integer(c_int) :: partner = 0
    integer(c_int64_t) :: items = 0
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: pieces = 0
  end type c_transfer

  type, bind(C) :: c_row
    integer(c_int) :: rank = 0
    integer(c_int) :: stage = 0
    integer(c_int64_t) :: sends = 0
    integer(c_int64_t) :: receives = 0
    type(c_ptr) :: send = c_null_ptr
    type(c_ptr) :: receive = c_null_ptr
    type(c_ptr) :: piece = c_null_ptr
  end type c_row

  type, bind(C) :: c_step
    integer(c_int) :: stage = 0
    integer(c_int) :: from = 0
    integer(c_int) :: to = 0
    integer(c_int64_t) :: phase = 0
    integer(c_int64_t) :: items = 0
    real(c_double) :: start = 0
    real(c_double) :: end = 0
  end type c_step

  type, bind(C) :: c_bounds
    real(c_double) :: full_duplex = 0
    real(c_double) :: half_duplex = 0
    real(c_double) :: link = 0
    real(c_double) :: relay = 0
    real(c_double) :: direct = 0
    real(c_double) :: any = 0
    real(c_double) :: ports = 0
  end type c_bounds

  type, bind(C) :: c_prediction
    real(c_double) :: seconds = 0
    real(c_double) :: barrier_seconds = 0
    real(c_double) :: max_link_load = 0
    integer(c_int64_t) :: unconfirmed = 0
    integer(c_int) :: unsafe = 0
  end type c_prediction

  type, bind(C) :: c_way
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: pacing = c_null_ptr
    integer(c_int) :: barrier = 0
    integer(c_int64_t) :: window = 0
  end type c_way

  type, bind(C) :: c_partners_view
    integer(c_int) :: rank = 0
    integer(c_int) :: ranks = 0
    integer(c_int) :: sends = 0
    type(c_ptr) :: destination = c_null_ptr
    type(c_ptr) :: send_items = c_null_ptr
    integer(c_int) :: receives = 0
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: receive_items = c_null_ptr
  end type c_partners_view

  type, bind(C) :: c_parcel
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: bytes = 0
    type(c_ptr) :: data = c_null_ptr
  end type c_parcel

  type, bind(C) :: c_discovery_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
  end type c_discovery_info

  type, bind(C) :: c_event
    integer(c_int) :: kind = 0
    real(c_double) :: seconds = 0
    integer(c_int64_t) :: exchange = 0
    integer(c_int) :: partner = 0
    integer(c_int64_t) :: phase = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: bytes = 0
  end type c_event

  type, bind(C) :: c_pacing_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
  end type c_pacing_info

  type, bind(C) :: c_plan_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: machine = c_null_ptr
    type(c_ptr) :: pacing = c_null_ptr
    integer(c_int64_t) :: chunk = 0
    integer(c_int64_t) :: window = 0
    type(c_ptr) :: transport = c_null_ptr
    integer(c_int) :: barrier = 0
    integer(c_int) :: in_flight = 0
    real(c_double) :: deadline = 0
    type(c_funptr) :: trace = c_null_funptr
    type(c_ptr) :: trace_context = c_null_ptr
    integer(c_int64_t) :: reuse = 0
    integer(c_int64_t) :: item_bytes = 0
  end type c_plan_options

  type, bind(C) :: c_plan_info
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: pacing = c_null_ptr
    type(c_ptr) :: transport = c_null_ptr
    type(c_ptr) :: why = c_null_ptr
    integer(c_int64_t) :: chunk = 0
    integer(c_int64_t) :: window = 0
    integer(c_int) :: stages = 0
    integer(c_int64_t) :: phases = 0
    integer(c_int64_t) :: messages_out = 0
    integer(c_int64_t) :: messages_in = 0
    integer(c_int) :: near_out = 0
    integer(c_int) :: near_in = 0
    integer(c_int64_t) :: items_out = 0
    integer(c_int64_t) :: items_in = 0
    integer(c_int) :: in_flight = 0
    integer(c_int64_t) :: exchanges = 0
    integer(c_int64_t) :: staging_items = 0
    real(c_double) :: build_seconds = 0
  end type c_plan_info

  type, bind(C) :: c_candidate
    type(c_ptr) :: algorithm = c_null_ptr
    type(c_ptr) :: pacing = c_null_ptr
    real(c_double) :: seconds = 0
    integer(c_int64_t) :: tries = 0
    integer(c_int) :: in_use = 0
  end type c_candidate

  type, bind(C) :: c_buffers
    integer(c_int64_t) :: item_bytes = 0
    type(c_ptr) :: outgoing = c_null_ptr
    type(c_ptr) :: incoming = c_null_ptr
    type(c_ptr) :: outgoing_base = c_null_ptr
    type(c_ptr) :: incoming_base = c_null_ptr
    type(c_ptr) :: outgoing_offset = c_null_ptr
    type(c_ptr) :: incoming_offset = c_null_ptr
    type(c_ptr) :: outgoing_items = c_null_ptr
    type(c_ptr) :: incoming_items = c_null_ptr
    integer(c_int64_t) :: outgoing_stride = 0
    integer(c_int64_t) :: incoming_stride = 0
    integer(c_int) :: memory = 0
    type(c_ptr) :: stream = c_null_ptr
  end type c_buffers

  type, bind(C) :: c_coupling_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: directory = c_null_ptr
    type(c_ptr) :: address = c_null_ptr
    real(c_double) :: deadline = 0
    type(c_ptr) :: transport = c_null_ptr
  end type c_coupling_options

  type, bind(C) :: c_coupling_view
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: peer = c_null_ptr
    integer(c_int) :: ranks = 0
    integer(c_int) :: peer_ranks = 0
    type(c_ptr) :: transport = c_null_ptr
    type(c_ptr) :: how = c_null_ptr
    real(c_double) :: latency = 0
    integer(c_int64_t) :: refused = 0
  end type c_coupling_view

  type, bind(C) :: c_coupled
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: layout = c_null_ptr
    type(c_ptr) :: region = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_int64_t) :: width = 0
    integer(c_int) :: operation = 0
  end type c_coupled

  type, bind(C) :: c_stream_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: computes = c_null_ptr
    type(c_ptr) :: back = c_null_ptr
    type(c_ptr) :: descriptors = c_null_ptr
    integer(c_int) :: queue = 0
    integer(c_int) :: fails_when_full = 0
    integer(c_int) :: converts = 0
    integer(c_int) :: checksums = 0
    type(c_ptr) :: plan = c_null_ptr
    real(c_double) :: deadline = 0
  end type c_stream_options

  type, bind(C) :: c_stream_view
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: computed = c_null_ptr
    type(c_ptr) :: back = c_null_ptr
    type(c_ptr) :: descriptors = c_null_ptr
    type(c_ptr) :: why = c_null_ptr
    integer(c_int) :: fields = 0
    integer(c_int64_t) :: elements = 0
    integer(c_int64_t) :: messages_out = 0
    integer(c_int64_t) :: messages_in = 0
    integer(c_int64_t) :: bytes_out = 0
    integer(c_int64_t) :: bytes_in = 0
    integer(c_int64_t) :: runs_out = 0
    integer(c_int64_t) :: runs_in = 0
    real(c_double) :: seconds_most(2) = 0
    real(c_double) :: seconds_mean(2) = 0
    real(c_double) :: build_seconds = 0
    integer(c_int64_t) :: computed_most(2) = 0
    integer(c_int64_t) :: computed_all(2) = 0
    integer(c_int64_t) :: inside_messages = 0
    integer(c_int64_t) :: inside_bytes = 0
    integer(c_int64_t) :: across_messages = 0
    integer(c_int64_t) :: across_bytes = 0
    integer(c_int64_t) :: peak_bytes = 0
    integer(c_int64_t) :: exports = 0
    integer(c_int64_t) :: imports = 0
    integer(c_int64_t) :: queued = 0
    integer(c_int64_t) :: queue_bytes = 0
  end type c_stream_view

  type, bind(C) :: c_items
    integer(c_int64_t) :: item_bytes = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: destination = c_null_ptr
    integer(c_int) :: groups = 0
    type(c_ptr) :: rank = c_null_ptr
    type(c_ptr) :: items = c_null_ptr
  end type c_items

  type, bind(C) :: c_arrivals
    type(c_funptr) :: allocate = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    type(c_ptr) :: room = c_null_ptr
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: sources = 0
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: items = c_null_ptr
  end type c_arrivals

  type, bind(C) :: c_indices
    integer(c_int64_t) :: links = 0
    type(c_ptr) :: link_rank = c_null_ptr
    integer(c_int) :: partners = 0
    type(c_ptr) :: rank = c_null_ptr
    type(c_ptr) :: count = c_null_ptr
    type(c_ptr) :: place = c_null_ptr
    type(c_ptr) :: partner_place = c_null_ptr
    type(c_ptr) :: count32 = c_null_ptr
    type(c_ptr) :: place32 = c_null_ptr
    type(c_ptr) :: partner_place32 = c_null_ptr
  end type c_indices

  type, bind(C) :: c_map_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: plan = c_null_ptr
    type(c_ptr) :: discovery = c_null_ptr
    integer(c_int) :: reverse = 0
    integer(c_int) :: unordered = 0
    integer(c_int) :: keeps_incoming = 0
    integer(c_int) :: trusted = 0
  end type c_map_options

  type, bind(C) :: c_boxes
    integer(c_int) :: dimensions = 0
    type(c_ptr) :: extent = c_null_ptr
    integer(c_int) :: boxes = 0
    type(c_ptr) :: rank = c_null_ptr
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: count = c_null_ptr
    integer(c_int) :: order = 0
  end type c_boxes

  type, bind(C) :: c_field
    type(c_ptr) :: source = c_null_ptr
    type(c_ptr) :: target = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_int64_t) :: width = 0
    integer(c_int) :: operation = 0
    type(c_funptr) :: combine = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    type(c_ptr) :: source_start = c_null_ptr
    type(c_ptr) :: target_start = c_null_ptr
    integer(c_int64_t) :: source_stride = 0
    integer(c_int64_t) :: target_stride = 0
    integer(c_int) :: memory = 0
    type(c_ptr) :: stream = c_null_ptr
  end type c_field

  type, bind(C) :: c_directory_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: placement = 0
    integer(c_int64_t) :: limit = 0
    type(c_funptr) :: place = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    integer(c_int64_t) :: payload_bytes = 0
    integer(c_int) :: caches = 0
    real(c_double) :: deadline = 0
  end type c_directory_options

  type, bind(C) :: c_directory_view
    integer(c_int64_t) :: entries = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: cached = 0
    integer(c_int64_t) :: asked = 0
    integer(c_int64_t) :: spared = 0
    integer(c_int) :: shared = 0
  end type c_directory_view

  type, bind(C) :: c_directory_call
    integer(c_int) :: verb = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: id = c_null_ptr
    type(c_ptr) :: owner = c_null_ptr
    type(c_ptr) :: place = c_null_ptr
    type(c_ptr) :: payload = c_null_ptr
    type(c_ptr) :: found_owner = c_null_ptr
    type(c_ptr) :: found_place = c_null_ptr
    type(c_ptr) :: found_payload = c_null_ptr
    type(c_ptr) :: known = c_null_ptr
    type(c_ptr) :: unknown = c_null_ptr
  end type c_directory_call

  type, bind(C) :: c_resolve_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: method = c_null_ptr
    integer(c_int) :: symmetric = 0
    integer(c_int64_t) :: boundaries = 0
    type(c_ptr) :: boundary = c_null_ptr
    integer(c_int64_t) :: limit = 0
    type(c_ptr) :: map = c_null_ptr
    type(c_ptr) :: own_id32 = c_null_ptr
    type(c_ptr) :: need_id32 = c_null_ptr
    type(c_ptr) :: target32 = c_null_ptr
  end type c_resolve_options

  type, bind(C) :: c_resolve_report
    integer(c_int) :: steps = 0
    integer(c_int64_t) :: lists = 0
    integer(c_int64_t) :: sent = 0
    integer(c_int64_t) :: memory = 0
  end type c_resolve_report

  type, bind(C) :: c_resolve_method_info
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: summary = c_null_ptr
    type(c_ptr) :: memory = c_null_ptr
  end type c_resolve_method_info

  type, bind(C) :: c_migration_report
    character(c_char) :: method(32) = c_null_char
    integer(c_int64_t) :: phases = 0
    integer(c_int64_t) :: bound = 0
    integer(c_int64_t) :: left = 0
    integer(c_int64_t) :: came = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: parked_bytes = 0
    integer(c_int64_t) :: memory = 0
    integer(c_int64_t) :: peak = 0
  end type c_migration_report

  type, bind(C) :: c_migration_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: method = c_null_ptr
    integer(c_int64_t) :: memory = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    real(c_double) :: deadline = 0
  end type c_migration_options

  type, bind(C) :: c_objects
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: destination = c_null_ptr
    type(c_funptr) :: size = c_null_funptr
    type(c_funptr) :: pack = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
    type(c_funptr) :: unpack = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type c_objects

  interface
    function c_version() result(answer) bind(C, name="qdr_version")
      import
      type(c_ptr) :: answer
    end function c_version
    function c_status_text(status) result(answer) bind(C, name="qdr_status_text")
      import
      integer(c_int), value :: status
      type(c_ptr) :: answer
    end function c_status_text
    function c_error_message() result(answer) bind(C, name="qdr_error_message")
      import
      type(c_ptr) :: answer
    end function c_error_message
    subroutine c_set_log(function, context) bind(C, name="qdr_set_log")
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: context
    end subroutine c_set_log
    function c_environment(index) result(answer) bind(C, name="qdr_environment")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_environment
    function c_type_bytes(type) result(answer) bind(C, name="qdr_type_bytes")
      import
      integer(c_int), value :: type
      integer(c_int64_t) :: answer
    end function c_type_bytes
    function c_type_name(type) result(answer) bind(C, name="qdr_type_name")
      import
      integer(c_int), value :: type
      type(c_ptr) :: answer
    end function c_type_name
    function c_operation_name(operation) result(answer) bind(C, name="qdr_operation_name")
      import
      integer(c_int), value :: operation
      type(c_ptr) :: answer
    end function c_operation_name
    function c_operation_suits(operation, type) result(answer) bind(C, &
        name="qdr_operation_suits")
      import
      integer(c_int), value :: operation
      integer(c_int), value :: type
      integer(c_int) :: answer
    end function c_operation_suits
    function c_layout_runs(dimensions, extent, runs, first, count, layout) result(answer) &
        bind(C, name="qdr_layout_runs")
      import
      integer(c_int), value :: dimensions
      type(c_ptr), value :: extent
      integer(c_int64_t), value :: runs
      type(c_ptr), value :: first
      type(c_ptr), value :: count
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: answer
    end function c_layout_runs
    function c_layout_entries(dimensions, extent, entries, element, owner, place, layout) &
        result(answer) bind(C, name="qdr_layout_entries")
      import
      integer(c_int), value :: dimensions
      type(c_ptr), value :: extent
      integer(c_int64_t), value :: entries
      type(c_ptr), value :: element
      type(c_ptr), value :: owner
      type(c_ptr), value :: place
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: answer
    end function c_layout_entries
    function c_layout_dereferenced(dimensions, extent, first, count, ask, context, layout) &
        result(answer) bind(C, name="qdr_layout_dereferenced")
      import
      integer(c_int), value :: dimensions
      type(c_ptr), value :: extent
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      type(c_funptr), value :: ask
      type(c_ptr), value :: context
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: answer
    end function c_layout_dereferenced
    subroutine c_layout_destroy(layout) bind(C, name="qdr_layout_destroy")
      import
      type(c_ptr), intent(inout) :: layout
    end subroutine c_layout_destroy
    function c_region_create(dimensions, order, region) result(answer) bind(C, &
        name="qdr_region_create")
      import
      integer(c_int), value :: dimensions
      integer(c_int), value :: order
      type(c_ptr), intent(inout) :: region
      integer(c_int) :: answer
    end function c_region_create
    function c_region_add_box(region, lower, upper, stride) result(answer) bind(C, &
        name="qdr_region_add_box")
      import
      type(c_ptr), value :: region
      type(c_ptr), value :: lower
      type(c_ptr), value :: upper
      type(c_ptr), value :: stride
      integer(c_int) :: answer
    end function c_region_add_box
    function c_region_add_list(region, count, index) result(answer) bind(C, &
        name="qdr_region_add_list")
      import
      type(c_ptr), value :: region
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      integer(c_int) :: answer
    end function c_region_add_list
    function c_region_all(layout, order, region) result(answer) bind(C, name="qdr_region_all")
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: order
      type(c_ptr), intent(inout) :: region
      integer(c_int) :: answer
    end function c_region_all
    subroutine c_region_destroy(region) bind(C, name="qdr_region_destroy")
      import
      type(c_ptr), intent(inout) :: region
    end subroutine c_region_destroy
    function c_region_elements(region) result(answer) bind(C, name="qdr_region_elements")
      import
      type(c_ptr), value :: region
      integer(c_int64_t) :: answer
    end function c_region_elements
    function c_layout_locate(layout, index, rank, place) result(answer) bind(C, &
        name="qdr_layout_locate")
      import
      type(c_ptr), value :: layout
      type(c_ptr), value :: index
      type(c_ptr), value :: rank
      type(c_ptr), value :: place
      integer(c_int) :: answer
    end function c_layout_locate
    function c_layout_index(layout, rank, place, index) result(answer) bind(C, &
        name="qdr_layout_index")
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int64_t), value :: place
      type(c_ptr), value :: index
      integer(c_int) :: answer
    end function c_layout_index
    function c_layout_share(layout, rank, elements, room) result(answer) bind(C, &
        name="qdr_layout_share")
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(c_ptr), value :: elements
      type(c_ptr), value :: room
      integer(c_int) :: answer
    end function c_layout_share
    function c_region_number(region, index, number) result(answer) bind(C, &
        name="qdr_region_number")
      import
      type(c_ptr), value :: region
      type(c_ptr), value :: index
      type(c_ptr), value :: number
      integer(c_int) :: answer
    end function c_region_number
    function c_region_index(region, number, index) result(answer) bind(C, &
        name="qdr_region_index")
      import
      type(c_ptr), value :: region
      integer(c_int64_t), value :: number
      type(c_ptr), value :: index
      integer(c_int) :: answer
    end function c_region_index
    function c_layout_regular_sized(dimensions, axis, axis_bytes, storage, layout) &
        result(answer) bind(C, name="qdr_layout_regular_sized")
      import
      integer(c_int), value :: dimensions
      type(c_ptr), value :: axis
      integer(c_size_t), value :: axis_bytes
      type(c_ptr), value :: storage
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: answer
    end function c_layout_regular_sized
    function c_layout_boxes_sized(dimensions, extent, order, boxes, box, box_bytes, layout) &
        result(answer) bind(C, name="qdr_layout_boxes_sized")
      import
      integer(c_int), value :: dimensions
      type(c_ptr), value :: extent
      integer(c_int), value :: order
      integer(c_int), value :: boxes
      type(c_ptr), value :: box
      integer(c_size_t), value :: box_bytes
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: answer
    end function c_layout_boxes_sized
    function c_machine_create(spec, ranks, machine) result(answer) bind(C, &
        name="qdr_machine_create")
      import
      type(c_ptr), value :: spec
      integer(c_int), value :: ranks
      type(c_ptr), intent(inout) :: machine
      integer(c_int) :: answer
    end function c_machine_create
    subroutine c_machine_destroy(machine) bind(C, name="qdr_machine_destroy")
      import
      type(c_ptr), intent(inout) :: machine
    end subroutine c_machine_destroy
    function c_machine_look(machine) result(answer) bind(C, name="qdr_machine_look")
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: answer
    end function c_machine_look
    function c_machine_spec(machine) result(answer) bind(C, name="qdr_machine_spec")
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: answer
    end function c_machine_spec
    function c_machine_topology(machine) result(answer) bind(C, name="qdr_machine_topology")
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: answer
    end function c_machine_topology
    function c_machine_wire_bytes(machine, bytes) result(answer) bind(C, &
        name="qdr_machine_wire_bytes")
      import
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: bytes
      integer(c_int64_t) :: answer
    end function c_machine_wire_bytes
    function c_machine_links(machine) result(answer) bind(C, name="qdr_machine_links")
      import
      type(c_ptr), value :: machine
      integer(c_int64_t) :: answer
    end function c_machine_links
    function c_machine_route_limit(machine) result(answer) bind(C, &
        name="qdr_machine_route_limit")
      import
      type(c_ptr), value :: machine
      integer(c_int) :: answer
    end function c_machine_route_limit
    function c_machine_route(machine, from, to, route) result(answer) bind(C, &
        name="qdr_machine_route")
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: from
      integer(c_int), value :: to
      type(c_ptr), value :: route
      integer(c_int) :: answer
    end function c_machine_route
    function c_machine_link_bandwidth(machine, link) result(answer) bind(C, &
        name="qdr_machine_link_bandwidth")
      import
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: link
      real(c_double) :: answer
    end function c_machine_link_bandwidth
    function c_machine_link_streams(machine, link) result(answer) bind(C, &
        name="qdr_machine_link_streams")
      import
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: link
      integer(c_int64_t) :: answer
    end function c_machine_link_streams
    function c_machine_latency(machine, from, to) result(answer) bind(C, &
        name="qdr_machine_latency")
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: from
      integer(c_int), value :: to
      real(c_double) :: answer
    end function c_machine_latency
    function c_machine_write_simgrid(machine, arg2) result(answer) bind(C, &
        name="qdr_machine_write_simgrid")
      import
      type(c_ptr), value :: machine
      type(c_ptr), value :: arg2
      integer(c_int) :: answer
    end function c_machine_write_simgrid
    function c_machine_known(index) result(answer) bind(C, name="qdr_machine_known")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_machine_known
    function c_pattern_from_spec(spec, pattern) result(answer) bind(C, &
        name="qdr_pattern_from_spec")
      import
      type(c_ptr), value :: spec
      type(c_ptr), intent(inout) :: pattern
      integer(c_int) :: answer
    end function c_pattern_from_spec
    function c_pattern_read(arg1, name, pattern_items, pattern) result(answer) bind(C, &
        name="qdr_pattern_read")
      import
      type(c_ptr), value :: arg1
      type(c_ptr), value :: name
      integer(c_int64_t), value :: pattern_items
      type(c_ptr), intent(inout) :: pattern
      integer(c_int) :: answer
    end function c_pattern_read
    function c_pattern_write(pattern, arg2) result(answer) bind(C, name="qdr_pattern_write")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: arg2
      integer(c_int) :: answer
    end function c_pattern_write
    subroutine c_pattern_destroy(pattern) bind(C, name="qdr_pattern_destroy")
      import
      type(c_ptr), intent(inout) :: pattern
    end subroutine c_pattern_destroy
    function c_pattern_class_text(kind) result(answer) bind(C, name="qdr_pattern_class_text")
      import
      integer(c_int), value :: kind
      type(c_ptr) :: answer
    end function c_pattern_class_text
    function c_pattern_family(index) result(answer) bind(C, name="qdr_pattern_family")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_pattern_family
    function c_pattern_create_sized(ranks, count, messages, message_bytes, pattern) &
        result(answer) bind(C, name="qdr_pattern_create_sized")
      import
      integer(c_int), value :: ranks
      integer(c_int64_t), value :: count
      type(c_ptr), value :: messages
      integer(c_size_t), value :: message_bytes
      type(c_ptr), intent(inout) :: pattern
      integer(c_int) :: answer
    end function c_pattern_create_sized
    subroutine c_pattern_look_sized(pattern, view, view_bytes) bind(C, &
        name="qdr_pattern_look_sized")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_pattern_look_sized
    subroutine c_pattern_measure_sized(pattern, statistics, statistics_bytes) bind(C, &
        name="qdr_pattern_measure_sized")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: statistics
      integer(c_size_t), value :: statistics_bytes
    end subroutine c_pattern_measure_sized
    function c_moves_create(pattern, room, method, moves) result(answer) bind(C, &
        name="qdr_moves_create")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: room
      type(c_ptr), value :: method
      type(c_ptr), intent(inout) :: moves
      integer(c_int) :: answer
    end function c_moves_create
    subroutine c_moves_destroy(moves) bind(C, name="qdr_moves_destroy")
      import
      type(c_ptr), intent(inout) :: moves
    end subroutine c_moves_destroy
    function c_moves_least_room(pattern, with_parking, without) result(answer) bind(C, &
        name="qdr_moves_least_room")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: with_parking
      type(c_ptr), value :: without
      integer(c_int) :: answer
    end function c_moves_least_room
    function c_moves_check(pattern, room, moves) result(answer) bind(C, name="qdr_moves_check")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: room
      type(c_ptr), value :: moves
      integer(c_int) :: answer
    end function c_moves_check
    function c_moves_write_text(moves, arg2) result(answer) bind(C, name="qdr_moves_write_text")
      import
      type(c_ptr), value :: moves
      type(c_ptr), value :: arg2
      integer(c_int) :: answer
    end function c_moves_write_text
    function c_moves_method(index) result(answer) bind(C, name="qdr_moves_method")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_moves_method
    subroutine c_moves_look_sized(moves, view, view_bytes) bind(C, name="qdr_moves_look_sized")
      import
      type(c_ptr), value :: moves
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_moves_look_sized
    function c_algorithm(index) result(answer) bind(C, name="qdr_algorithm")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_algorithm
    function c_algorithm_find(name, info) result(answer) bind(C, name="qdr_algorithm_find")
      import
      type(c_ptr), value :: name
      type(c_ptr), value :: info
      integer(c_int) :: answer
    end function c_algorithm_find
    function c_schedule_create(pattern, algorithm, machine, schedule) result(answer) bind(C, &
        name="qdr_schedule_create")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: algorithm
      type(c_ptr), value :: machine
      type(c_ptr), intent(inout) :: schedule
      integer(c_int) :: answer
    end function c_schedule_create
    subroutine c_schedule_destroy(schedule) bind(C, name="qdr_schedule_destroy")
      import
      type(c_ptr), intent(inout) :: schedule
    end subroutine c_schedule_destroy
    function c_schedule_pattern(schedule) result(answer) bind(C, name="qdr_schedule_pattern")
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: answer
    end function c_schedule_pattern
    function c_row_reader_create(schedule, reader) result(answer) bind(C, &
        name="qdr_row_reader_create")
      import
      type(c_ptr), value :: schedule
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: answer
    end function c_row_reader_create
    subroutine c_row_reader_destroy(reader) bind(C, name="qdr_row_reader_destroy")
      import
      type(c_ptr), intent(inout) :: reader
    end subroutine c_row_reader_destroy
    function c_schedule_steps(schedule, count, steps) result(answer) bind(C, &
        name="qdr_schedule_steps")
      import
      type(c_ptr), value :: schedule
      type(c_ptr), value :: count
      type(c_ptr), intent(inout) :: steps
      integer(c_int) :: answer
    end function c_schedule_steps
    function c_schedule_check(schedule) result(answer) bind(C, name="qdr_schedule_check")
      import
      type(c_ptr), value :: schedule
      integer(c_int) :: answer
    end function c_schedule_check
    function c_auto_candidate(pattern, reuse, index) result(answer) bind(C, &
        name="qdr_auto_candidate")
      import
      type(c_ptr), value :: pattern
      integer(c_int64_t), value :: reuse
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_auto_candidate
    function c_auto_reason(pattern) result(answer) bind(C, name="qdr_auto_reason")
      import
      type(c_ptr), value :: pattern
      type(c_ptr) :: answer
    end function c_auto_reason
    function c_broadcast_steps(algorithm, count, group, items, step_count, steps) result(answer) &
        bind(C, name="qdr_broadcast_steps")
      import
      type(c_ptr), value :: algorithm
      integer(c_int), value :: count
      type(c_ptr), value :: group
      integer(c_int64_t), value :: items
      type(c_ptr), value :: step_count
      type(c_ptr), intent(inout) :: steps
      integer(c_int) :: answer
    end function c_broadcast_steps
    function c_steps_write_text(count, steps, arg3) result(answer) bind(C, &
        name="qdr_steps_write_text")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), value :: steps
      type(c_ptr), value :: arg3
      integer(c_int) :: answer
    end function c_steps_write_text
    function c_schedule_look_sized(schedule, info, info_bytes) result(answer) bind(C, &
        name="qdr_schedule_look_sized")
      import
      type(c_ptr), value :: schedule
      type(c_ptr), value :: info
      integer(c_size_t), value :: info_bytes
      integer(c_int) :: answer
    end function c_schedule_look_sized
    function c_row_read_sized(reader, rank, stage, row, row_bytes) result(answer) bind(C, &
        name="qdr_row_read_sized")
      import
      type(c_ptr), value :: reader
      integer(c_int), value :: rank
      integer(c_int), value :: stage
      type(c_ptr), value :: row
      integer(c_size_t), value :: row_bytes
      integer(c_int) :: answer
    end function c_row_read_sized
    function c_bounds_compute_sized(pattern, machine, item_bytes, bounds, bounds_bytes) &
        result(answer) bind(C, name="qdr_bounds_compute_sized")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: bounds
      integer(c_size_t), value :: bounds_bytes
      integer(c_int) :: answer
    end function c_bounds_compute_sized
    function c_schedule_predict_sized(schedule, machine, item_bytes, steps, prediction, &
        prediction_bytes) result(answer) bind(C, name="qdr_schedule_predict_sized")
      import
      type(c_ptr), value :: schedule
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: steps
      type(c_ptr), value :: prediction
      integer(c_size_t), value :: prediction_bytes
      integer(c_int) :: answer
    end function c_schedule_predict_sized
    function c_steps_predict_sized(count, steps, machine, item_bytes, prediction, &
        prediction_bytes) result(answer) bind(C, name="qdr_steps_predict_sized")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), value :: steps
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: prediction
      integer(c_size_t), value :: prediction_bytes
      integer(c_int) :: answer
    end function c_steps_predict_sized
    function c_way_predict_sized(pattern, way, way_bytes, machine, item_bytes, seconds) &
        result(answer) bind(C, name="qdr_way_predict_sized")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: way
      integer(c_size_t), value :: way_bytes
      type(c_ptr), value :: machine
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: seconds
      integer(c_int) :: answer
    end function c_way_predict_sized
    function c_wait(pending) result(answer) bind(C, name="qdr_wait")
      import
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_wait
    function c_wait_all(count, pending) result(answer) bind(C, name="qdr_wait_all")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_wait_all
    function c_wait_any(count, pending, which) result(answer) bind(C, name="qdr_wait_any")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: pending
      type(c_ptr), value :: which
      integer(c_int) :: answer
    end function c_wait_any
    function c_test(pending, done) result(answer) bind(C, name="qdr_test")
      import
      type(c_ptr), intent(inout) :: pending
      type(c_ptr), value :: done
      integer(c_int) :: answer
    end function c_test
    function c_test_all(count, pending, done) result(answer) bind(C, name="qdr_test_all")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: pending
      type(c_ptr), value :: done
      integer(c_int) :: answer
    end function c_test_all
    function c_test_any(count, pending, which) result(answer) bind(C, name="qdr_test_any")
      import
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: pending
      type(c_ptr), value :: which
      integer(c_int) :: answer
    end function c_test_any
    subroutine c_progress() bind(C, name="qdr_progress")
      import
    end subroutine c_progress
    function c_alltoall(comm, algorithm, bytes, outgoing, incoming) result(answer) bind(C, &
        name="qdr_alltoall")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: algorithm
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: outgoing
      type(c_ptr), value :: incoming
      integer(c_int) :: answer
    end function c_alltoall
    function c_alltoall_start(comm, algorithm, bytes, outgoing, incoming, pending) &
        result(answer) bind(C, name="qdr_alltoall_start")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: algorithm
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: outgoing
      type(c_ptr), value :: incoming
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_alltoall_start
    function c_broadcast(comm, algorithm, count, group, data, bytes) result(answer) bind(C, &
        name="qdr_broadcast")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: algorithm
      integer(c_int), value :: count
      type(c_ptr), value :: group
      type(c_ptr), value :: data
      integer(c_int64_t), value :: bytes
      integer(c_int) :: answer
    end function c_broadcast
    function c_prepare(comm) result(answer) bind(C, name="qdr_prepare")
      import
      integer(c_comm), value :: comm
      integer(c_int) :: answer
    end function c_prepare
    function c_partners_from_sends(comm, count, destination, items, method, partners) &
        result(answer) bind(C, name="qdr_partners_from_sends")
      import
      integer(c_comm), value :: comm
      integer(c_int), value :: count
      type(c_ptr), value :: destination
      type(c_ptr), value :: items
      type(c_ptr), value :: method
      type(c_ptr), intent(inout) :: partners
      integer(c_int) :: answer
    end function c_partners_from_sends
    function c_partners_from_receives(comm, count, source, items, method, partners) &
        result(answer) bind(C, name="qdr_partners_from_receives")
      import
      integer(c_comm), value :: comm
      integer(c_int), value :: count
      type(c_ptr), value :: source
      type(c_ptr), value :: items
      type(c_ptr), value :: method
      type(c_ptr), intent(inout) :: partners
      integer(c_int) :: answer
    end function c_partners_from_receives
    function c_partners_from_both(comm, sends, destination, send_items, receives, source, &
        receive_items, trusted, partners) result(answer) bind(C, name="qdr_partners_from_both")
      import
      integer(c_comm), value :: comm
      integer(c_int), value :: sends
      type(c_ptr), value :: destination
      type(c_ptr), value :: send_items
      integer(c_int), value :: receives
      type(c_ptr), value :: source
      type(c_ptr), value :: receive_items
      integer(c_int), value :: trusted
      type(c_ptr), intent(inout) :: partners
      integer(c_int) :: answer
    end function c_partners_from_both
    function c_partners_from_pattern(comm, pattern, partners) result(answer) bind(C, &
        name="qdr_partners_from_pattern")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: pattern
      type(c_ptr), intent(inout) :: partners
      integer(c_int) :: answer
    end function c_partners_from_pattern
    subroutine c_partners_destroy(partners) bind(C, name="qdr_partners_destroy")
      import
      type(c_ptr), intent(inout) :: partners
    end subroutine c_partners_destroy
    function c_partners_gather(partners, pattern) result(answer) bind(C, &
        name="qdr_partners_gather")
      import
      type(c_ptr), value :: partners
      type(c_ptr), intent(inout) :: pattern
      integer(c_int) :: answer
    end function c_partners_gather
    function c_discovery(index) result(answer) bind(C, name="qdr_discovery")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_discovery
    subroutine c_partners_look_sized(partners, view, view_bytes) bind(C, &
        name="qdr_partners_look_sized")
      import
      type(c_ptr), value :: partners
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_partners_look_sized
    function c_discover_sized(comm, method, count, arg4, arrived, arg6, parcel_bytes) &
        result(answer) bind(C, name="qdr_discover_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: method
      integer(c_int), value :: count
      type(c_ptr), value :: arg4
      type(c_ptr), value :: arrived
      type(c_ptr), intent(inout) :: arg6
      integer(c_size_t), value :: parcel_bytes
      integer(c_int) :: answer
    end function c_discover_sized
    function c_pacing(index) result(answer) bind(C, name="qdr_pacing")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_pacing
    function c_plan_create(partners, options, plan) result(answer) bind(C, &
        name="qdr_plan_create")
      import
      type(c_ptr), value :: partners
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: answer
    end function c_plan_create
    function c_plan_create_scheduled(partners, schedule, options, plan) result(answer) bind(C, &
        name="qdr_plan_create_scheduled")
      import
      type(c_ptr), value :: partners
      type(c_ptr), value :: schedule
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: answer
    end function c_plan_create_scheduled
    function c_plan_destroy(plan) result(answer) bind(C, name="qdr_plan_destroy")
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: answer
    end function c_plan_destroy
    function c_plan_tune(plan) result(answer) bind(C, name="qdr_plan_tune")
      import
      type(c_ptr), value :: plan
      integer(c_int) :: answer
    end function c_plan_tune
    function c_plan_schedule(plan) result(answer) bind(C, name="qdr_plan_schedule")
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: answer
    end function c_plan_schedule
    function c_stall_report() result(answer) bind(C, name="qdr_stall_report")
      import
      type(c_ptr) :: answer
    end function c_stall_report
    function c_plan_look_sized(plan, info, info_bytes) result(answer) bind(C, &
        name="qdr_plan_look_sized")
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: info
      integer(c_size_t), value :: info_bytes
      integer(c_int) :: answer
    end function c_plan_look_sized
    function c_plan_candidate_sized(plan, index, candidate, candidate_bytes) result(answer) &
        bind(C, name="qdr_plan_candidate_sized")
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: index
      type(c_ptr), value :: candidate
      integer(c_size_t), value :: candidate_bytes
      integer(c_int) :: answer
    end function c_plan_candidate_sized
    function c_plan_start_sized(plan, buffers, buffers_bytes, pending) result(answer) bind(C, &
        name="qdr_plan_start_sized")
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: buffers
      integer(c_size_t), value :: buffers_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_plan_start_sized
    function c_plan_exchange_sized(plan, buffers, buffers_bytes) result(answer) bind(C, &
        name="qdr_plan_exchange_sized")
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: buffers
      integer(c_size_t), value :: buffers_bytes
      integer(c_int) :: answer
    end function c_plan_exchange_sized
    function c_program_create(comm, name, deadline, program) result(answer) bind(C, &
        name="qdr_program_create")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: name
      real(c_double), value :: deadline
      type(c_ptr), intent(inout) :: program
      integer(c_int) :: answer
    end function c_program_create
    function c_program_comm(program) result(answer) bind(C, name="qdr_program_comm")
      import
      type(c_ptr), value :: program
      integer(c_comm) :: answer
    end function c_program_comm
    function c_program_destroy(program) result(answer) bind(C, name="qdr_program_destroy")
      import
      type(c_ptr), intent(inout) :: program
      integer(c_int) :: answer
    end function c_program_destroy
    function c_coupling_create(program, peer, options, coupling) result(answer) bind(C, &
        name="qdr_coupling_create")
      import
      type(c_ptr), value :: program
      type(c_ptr), value :: peer
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: coupling
      integer(c_int) :: answer
    end function c_coupling_create
    function c_coupling_destroy(coupling) result(answer) bind(C, name="qdr_coupling_destroy")
      import
      type(c_ptr), intent(inout) :: coupling
      integer(c_int) :: answer
    end function c_coupling_destroy
    function c_stream_schedule(arg1, outgoing, field, partners, rank, start, place) &
        result(answer) bind(C, name="qdr_stream_schedule")
      import
      type(c_ptr), value :: arg1
      integer(c_int), value :: outgoing
      integer(c_int), value :: field
      type(c_ptr), value :: partners
      type(c_ptr), value :: rank
      type(c_ptr), value :: start
      type(c_ptr), value :: place
      integer(c_int) :: answer
    end function c_stream_schedule
    function c_stream_destroy(arg1) result(answer) bind(C, name="qdr_stream_destroy")
      import
      type(c_ptr), intent(inout) :: arg1
      integer(c_int) :: answer
    end function c_stream_destroy
    function c_export(arg1, time, data) result(answer) bind(C, name="qdr_export")
      import
      type(c_ptr), value :: arg1
      real(c_double), value :: time
      type(c_ptr), value :: data
      integer(c_int) :: answer
    end function c_export
    function c_stream_promise(arg1, time) result(answer) bind(C, name="qdr_stream_promise")
      import
      type(c_ptr), value :: arg1
      real(c_double), value :: time
      integer(c_int) :: answer
    end function c_stream_promise
    function c_import(arg1, time, match, tolerance, data, matched) result(answer) bind(C, &
        name="qdr_import")
      import
      type(c_ptr), value :: arg1
      real(c_double), value :: time
      integer(c_int), value :: match
      real(c_double), value :: tolerance
      type(c_ptr), value :: data
      type(c_ptr), value :: matched
      integer(c_int) :: answer
    end function c_import
    function c_import_start(arg1, time, match, tolerance, data, matched, pending) result(answer) &
        bind(C, name="qdr_import_start")
      import
      type(c_ptr), value :: arg1
      real(c_double), value :: time
      integer(c_int), value :: match
      real(c_double), value :: tolerance
      type(c_ptr), value :: data
      type(c_ptr), value :: matched
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_import_start
    subroutine c_coupling_look_sized(coupling, view, view_bytes) bind(C, &
        name="qdr_coupling_look_sized")
      import
      type(c_ptr), value :: coupling
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_coupling_look_sized
    subroutine c_stream_look_sized(arg1, view, view_bytes) bind(C, name="qdr_stream_look_sized")
      import
      type(c_ptr), value :: arg1
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_stream_look_sized
    function c_stream_create_sized(coupling, name, exported, exports, imported, imports, &
        coupled_bytes, options, arg9) result(answer) bind(C, name="qdr_stream_create_sized")
      import
      type(c_ptr), value :: coupling
      type(c_ptr), value :: name
      integer(c_int), value :: exported
      type(c_ptr), value :: exports
      integer(c_int), value :: imported
      type(c_ptr), value :: imports
      integer(c_size_t), value :: coupled_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: arg9
      integer(c_int) :: answer
    end function c_stream_create_sized
    function c_deliver_sized(comm, leaving, items_bytes, came, arrivals_bytes) result(answer) &
        bind(C, name="qdr_deliver_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: leaving
      integer(c_size_t), value :: items_bytes
      type(c_ptr), value :: came
      integer(c_size_t), value :: arrivals_bytes
      integer(c_int) :: answer
    end function c_deliver_sized
    function c_deliver_start_sized(comm, leaving, items_bytes, came, arrivals_bytes, pending) &
        result(answer) bind(C, name="qdr_deliver_start_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: leaving
      integer(c_size_t), value :: items_bytes
      type(c_ptr), value :: came
      integer(c_size_t), value :: arrivals_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_deliver_start_sized
    subroutine c_arrivals_free_sized(came, arrivals_bytes) bind(C, &
        name="qdr_arrivals_free_sized")
      import
      type(c_ptr), value :: came
      integer(c_size_t), value :: arrivals_bytes
    end subroutine c_arrivals_free_sized
    function c_map_destroy(map) result(answer) bind(C, name="qdr_map_destroy")
      import
      type(c_ptr), intent(inout) :: map
      integer(c_int) :: answer
    end function c_map_destroy
    subroutine c_map_reach(map, sends, receives) bind(C, name="qdr_map_reach")
      import
      type(c_ptr), value :: map
      type(c_ptr), value :: sends
      type(c_ptr), value :: receives
    end subroutine c_map_reach
    function c_map_plan(map, direction) result(answer) bind(C, name="qdr_map_plan")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      type(c_ptr) :: answer
    end function c_map_plan
    function c_map_incoming(map, direction, source, field) result(answer) bind(C, &
        name="qdr_map_incoming")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      integer(c_int), value :: source
      integer(c_int), value :: field
      type(c_ptr) :: answer
    end function c_map_incoming
    function c_map_ghost_places(map, direction, links, link_rank, source, position) &
        result(answer) bind(C, name="qdr_map_ghost_places")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      integer(c_int64_t), value :: links
      type(c_ptr), value :: link_rank
      type(c_ptr), value :: source
      type(c_ptr), value :: position
      integer(c_int) :: answer
    end function c_map_ghost_places
    function c_map_ghosts(map, direction, field, links, source, position, ghost) result(answer) &
        bind(C, name="qdr_map_ghosts")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      integer(c_int), value :: field
      integer(c_int64_t), value :: links
      type(c_ptr), value :: source
      type(c_ptr), value :: position
      type(c_ptr), value :: ghost
      integer(c_int) :: answer
    end function c_map_ghosts
    function c_map_create_sized(comm, sends, receives, indices_bytes, options, map) &
        result(answer) bind(C, name="qdr_map_create_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: sends
      type(c_ptr), value :: receives
      integer(c_size_t), value :: indices_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: map
      integer(c_int) :: answer
    end function c_map_create_sized
    function c_map_from_boxes_sized(comm, sends, receives, boxes_bytes, options, map) &
        result(answer) bind(C, name="qdr_map_from_boxes_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: sends
      type(c_ptr), value :: receives
      integer(c_size_t), value :: boxes_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: map
      integer(c_int) :: answer
    end function c_map_from_boxes_sized
    function c_map_relist_sized(map, sends, receives, indices_bytes) result(answer) bind(C, &
        name="qdr_map_relist_sized")
      import
      type(c_ptr), value :: map
      type(c_ptr), value :: sends
      type(c_ptr), value :: receives
      integer(c_size_t), value :: indices_bytes
      integer(c_int) :: answer
    end function c_map_relist_sized
    subroutine c_map_look_sized(map, view, view_bytes) bind(C, name="qdr_map_look_sized")
      import
      type(c_ptr), value :: map
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_map_look_sized
    function c_map_start_sized(map, direction, fields, field, field_bytes, pending) &
        result(answer) bind(C, name="qdr_map_start_sized")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      integer(c_int), value :: fields
      type(c_ptr), value :: field
      integer(c_size_t), value :: field_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_map_start_sized
    function c_map_exchange_sized(map, direction, fields, field, field_bytes) result(answer) &
        bind(C, name="qdr_map_exchange_sized")
      import
      type(c_ptr), value :: map
      integer(c_int), value :: direction
      integer(c_int), value :: fields
      type(c_ptr), value :: field
      integer(c_size_t), value :: field_bytes
      integer(c_int) :: answer
    end function c_map_exchange_sized
    function c_directory_create(comm, options, directory) result(answer) bind(C, &
        name="qdr_directory_create")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: directory
      integer(c_int) :: answer
    end function c_directory_create
    function c_directory_destroy(directory) result(answer) bind(C, name="qdr_directory_destroy")
      import
      type(c_ptr), intent(inout) :: directory
      integer(c_int) :: answer
    end function c_directory_destroy
    function c_directory_insert(directory, count, id, owner, place, payload) result(answer) &
        bind(C, name="qdr_directory_insert")
      import
      type(c_ptr), value :: directory
      integer(c_int64_t), value :: count
      type(c_ptr), value :: id
      type(c_ptr), value :: owner
      type(c_ptr), value :: place
      type(c_ptr), value :: payload
      integer(c_int) :: answer
    end function c_directory_insert
    function c_directory_update(directory, count, id, owner, place, payload, unknown) &
        result(answer) bind(C, name="qdr_directory_update")
      import
      type(c_ptr), value :: directory
      integer(c_int64_t), value :: count
      type(c_ptr), value :: id
      type(c_ptr), value :: owner
      type(c_ptr), value :: place
      type(c_ptr), value :: payload
      type(c_ptr), value :: unknown
      integer(c_int) :: answer
    end function c_directory_update
    function c_directory_remove(directory, count, id, unknown) result(answer) bind(C, &
        name="qdr_directory_remove")
      import
      type(c_ptr), value :: directory
      integer(c_int64_t), value :: count
      type(c_ptr), value :: id
      type(c_ptr), value :: unknown
      integer(c_int) :: answer
    end function c_directory_remove
    function c_directory_find(directory, count, id, owner, place, payload, unknown) &
        result(answer) bind(C, name="qdr_directory_find")
      import
      type(c_ptr), value :: directory
      integer(c_int64_t), value :: count
      type(c_ptr), value :: id
      type(c_ptr), value :: owner
      type(c_ptr), value :: place
      type(c_ptr), value :: payload
      type(c_ptr), value :: unknown
      integer(c_int) :: answer
    end function c_directory_find
    function c_resolve_map(comm, owned, own_id, needed, need_id, target, options, map) &
        result(answer) bind(C, name="qdr_resolve_map")
      import
      integer(c_comm), value :: comm
      integer(c_int64_t), value :: owned
      type(c_ptr), value :: own_id
      integer(c_int64_t), value :: needed
      type(c_ptr), value :: need_id
      type(c_ptr), value :: target
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: map
      integer(c_int) :: answer
    end function c_resolve_map
    function c_resolve_method(index) result(answer) bind(C, name="qdr_resolve_method")
      import
      integer(c_int), value :: index
      type(c_ptr) :: answer
    end function c_resolve_method
    subroutine c_directory_look_sized(directory, view, view_bytes) bind(C, &
        name="qdr_directory_look_sized")
      import
      type(c_ptr), value :: directory
      type(c_ptr), value :: view
      integer(c_size_t), value :: view_bytes
    end subroutine c_directory_look_sized
    function c_directory_start_sized(directory, call, call_bytes, pending) result(answer) &
        bind(C, name="qdr_directory_start_sized")
      import
      type(c_ptr), value :: directory
      type(c_ptr), value :: call
      integer(c_size_t), value :: call_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_directory_start_sized
    function c_resolve_sized(comm, owned, own_id, needed, need_id, options, owner, place, &
        report, report_bytes) result(answer) bind(C, name="qdr_resolve_sized")
      import
      integer(c_comm), value :: comm
      integer(c_int64_t), value :: owned
      type(c_ptr), value :: own_id
      integer(c_int64_t), value :: needed
      type(c_ptr), value :: need_id
      type(c_ptr), value :: options
      type(c_ptr), value :: owner
      type(c_ptr), value :: place
      type(c_ptr), value :: report
      integer(c_size_t), value :: report_bytes
      integer(c_int) :: answer
    end function c_resolve_sized
    function c_migrate_array_sized(comm, count, capacity, items, item_bytes, destination, &
        options, report, report_bytes) result(answer) bind(C, name="qdr_migrate_array_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: items
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: destination
      type(c_ptr), value :: options
      type(c_ptr), value :: report
      integer(c_size_t), value :: report_bytes
      integer(c_int) :: answer
    end function c_migrate_array_sized
    function c_migrate_objects_sized(comm, objects, objects_bytes, options, report, &
        report_bytes) result(answer) bind(C, name="qdr_migrate_objects_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: objects
      integer(c_size_t), value :: objects_bytes
      type(c_ptr), value :: options
      type(c_ptr), value :: report
      integer(c_size_t), value :: report_bytes
      integer(c_int) :: answer
    end function c_migrate_objects_sized
    function c_migrate_array_start_sized(comm, count, capacity, items, item_bytes, destination, &
        options, report, report_bytes, pending) result(answer) bind(C, &
        name="qdr_migrate_array_start_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: items
      integer(c_int64_t), value :: item_bytes
      type(c_ptr), value :: destination
      type(c_ptr), value :: options
      type(c_ptr), value :: report
      integer(c_size_t), value :: report_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_migrate_array_start_sized
    function c_migrate_objects_start_sized(comm, objects, objects_bytes, options, report, &
        report_bytes, pending) result(answer) bind(C, name="qdr_migrate_objects_start_sized")
      import
      integer(c_comm), value :: comm
      type(c_ptr), value :: objects
      integer(c_size_t), value :: objects_bytes
      type(c_ptr), value :: options
      type(c_ptr), value :: report
      integer(c_size_t), value :: report_bytes
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: answer
    end function c_migrate_objects_start_sized
    function c_schedule_write_json(schedule, arg2) result(answer) bind(C, &
        name="qdr_schedule_write_json")
      import
      type(c_ptr), value :: schedule
      type(c_ptr), value :: arg2
      integer(c_int) :: answer
    end function c_schedule_write_json
    function c_schedule_read_json(arg1, name, pattern, machine, schedule) result(answer) bind(C, &
        name="qdr_schedule_read_json")
      import
      type(c_ptr), value :: arg1
      type(c_ptr), value :: name
      type(c_ptr), value :: pattern
      type(c_ptr), value :: machine
      type(c_ptr), intent(inout) :: schedule
      integer(c_int) :: answer
    end function c_schedule_read_json
    function c_schedule_write_svg(schedule, count, steps, bound, title, arg6) result(answer) &
        bind(C, name="qdr_schedule_write_svg")
      import
      type(c_ptr), value :: schedule
      integer(c_int64_t), value :: count
      type(c_ptr), value :: steps
      real(c_double), value :: bound
      type(c_ptr), value :: title
      type(c_ptr), value :: arg6
      integer(c_int) :: answer
    end function c_schedule_write_svg
    function c_moves_write_json(moves, arg2) result(answer) bind(C, name="qdr_moves_write_json")
      import
      type(c_ptr), value :: moves
      type(c_ptr), value :: arg2
      integer(c_int) :: answer
    end function c_moves_write_json
    function c_moves_write_svg(pattern, room, moves, arg4) result(answer) bind(C, &
        name="qdr_moves_write_svg")
      import
      type(c_ptr), value :: pattern
      type(c_ptr), value :: room
      type(c_ptr), value :: moves
      type(c_ptr), value :: arg4
      integer(c_int) :: answer
    end function c_moves_write_svg
    function c_picture_create(arg1, width, height, font_size, picture) result(answer) bind(C, &
        name="qdr_picture_create")
      import
      type(c_ptr), value :: arg1
      real(c_double), value :: width
      real(c_double), value :: height
      real(c_double), value :: font_size
      type(c_ptr), intent(inout) :: picture
      integer(c_int) :: answer
    end function c_picture_create
    subroutine c_picture_rectangle(picture, x, y, width, height, style, title) bind(C, &
        name="qdr_picture_rectangle")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
      real(c_double), value :: width
      real(c_double), value :: height
      type(c_ptr), value :: style
      type(c_ptr), value :: title
    end subroutine c_picture_rectangle
    subroutine c_picture_circle(picture, x, y, radius, style) bind(C, name="qdr_picture_circle")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
      real(c_double), value :: radius
      type(c_ptr), value :: style
    end subroutine c_picture_circle
    subroutine c_picture_line(picture, x1, y1, x2, y2, style) bind(C, name="qdr_picture_line")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x1
      real(c_double), value :: y1
      real(c_double), value :: x2
      real(c_double), value :: y2
      type(c_ptr), value :: style
    end subroutine c_picture_line
    subroutine c_picture_text(picture, x, y, style, text) bind(C, name="qdr_picture_text")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
      type(c_ptr), value :: style
      type(c_ptr), value :: text
    end subroutine c_picture_text
    subroutine c_picture_path(picture, style) bind(C, name="qdr_picture_path")
      import
      type(c_ptr), value :: picture
      type(c_ptr), value :: style
    end subroutine c_picture_path
    subroutine c_picture_pen_move(picture, x, y) bind(C, name="qdr_picture_pen_move")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
    end subroutine c_picture_pen_move
    subroutine c_picture_pen_line(picture, x, y) bind(C, name="qdr_picture_pen_line")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
    end subroutine c_picture_pen_line
    subroutine c_picture_pen_close(picture) bind(C, name="qdr_picture_pen_close")
      import
      type(c_ptr), value :: picture
    end subroutine c_picture_pen_close
    subroutine c_picture_pen_box(picture, x, y, width, height) bind(C, &
        name="qdr_picture_pen_box")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
      real(c_double), value :: width
      real(c_double), value :: height
    end subroutine c_picture_pen_box
    subroutine c_picture_path_end(picture, title) bind(C, name="qdr_picture_path_end")
      import
      type(c_ptr), value :: picture
      type(c_ptr), value :: title
    end subroutine c_picture_path_end
    subroutine c_picture_group(picture, style) bind(C, name="qdr_picture_group")
      import
      type(c_ptr), value :: picture
      type(c_ptr), value :: style
    end subroutine c_picture_group
    subroutine c_picture_group_end(picture) bind(C, name="qdr_picture_group_end")
      import
      type(c_ptr), value :: picture
    end subroutine c_picture_group_end
    subroutine c_picture_window(picture, x, y, width, height) bind(C, name="qdr_picture_window")
      import
      type(c_ptr), value :: picture
      real(c_double), value :: x
      real(c_double), value :: y
      real(c_double), value :: width
      real(c_double), value :: height
    end subroutine c_picture_window
    subroutine c_picture_window_end(picture) bind(C, name="qdr_picture_window_end")
      import
      type(c_ptr), value :: picture
    end subroutine c_picture_window_end
    function c_picture_destroy(picture) result(answer) bind(C, name="qdr_picture_destroy")
      import
      type(c_ptr), intent(inout) :: picture
      integer(c_int) :: answer
    end function c_picture_destroy
    function c_picture_colour(number, text) result(answer) bind(C, name="qdr_picture_colour")
      import
      integer(c_int), value :: number
      type(c_ptr), value :: text
      type(c_ptr) :: answer
    end function c_picture_colour
    function c_picture_tick(length) result(answer) bind(C, name="qdr_picture_tick")
      import
      real(c_double), value :: length
      real(c_double) :: answer
    end function c_picture_tick
  end interface
end module quadrille_c
