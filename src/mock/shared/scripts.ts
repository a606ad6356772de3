/** Lua scripts, which the engine runs atomically. */

/** The limits of the entries that one call returns: their number and approximate size. */
const page = 100
const pageBytes = 2 ** 20

export type RawEntry = [index: number, head: Buffer, body: Buffer]

export type Appended = [
  status: Buffer,
  at: number,
  tail?: RawEntry[],
  index?: number,
  isAppended?: number,
  number?: number,
  isDue?: number,
  seenAt?: number,
]

/**
 * Appends an entry to the log of a sandbox, and returns entries that others have appended. The head of an entry holds its
 * operation, the previous operation, its kind, its time and the latest number of the journal before it.
 *
 * KEYS: log, state. ARGV: the last index that the mock has applied (0: none) and the operation there; how many journal
 * numbers to take; the operation of a start (empty: do not create a sandbox); milliseconds until idle keys expire (0:
 * never); bytes of entries after which a snapshot is due; the operation of an entry whose reply is on its way, with all
 * entries before it (empty: none); then kind, operation and body of the entry, if any.
 *
 * Returns a status (ok, more, none, behind, diverged), the time, the tail, the latest index, whether it is that of the entry
 * (0: no, or it is in the tail), the latest journal number before, whether this mock must write a snapshot, and the
 * time of the latest request.
 */
const appendScript = `
local log, state = KEYS[1], KEYS[2]
local last, wanted, start, expiry = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local limit, sent, kind, id, body = tonumber(ARGV[6]), ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local index, op, at, letter = 0, '', 0, ''
local function move(entry)
  index = tonumber(string.match(entry[1], '^0%-(%d+)$'))
  op, letter, at = string.match(entry[2][1], '^(%S*) %S* (%a) (%d+)')
  at = tonumber(at)
  if not (index and at) then error('FOREIGN ' .. entry[1]) end
end
if redis.call('EXISTS', log, state) == 1 then redis.call('DEL', log, state) end -- the other was evicted: start over
local tail = redis.call('XRANGE', log, last > 0 and '0-' .. last or '-', '+', 'COUNT', ${page + 2})
if #tail > 0 then move(tail[1]) end
if index ~= last and letter ~= 's' or last > 0 and #tail == 0 then
  -- nothing leads to the log any more: start over
  if (redis.call('HGET', state, 'base') or '0') == ARGV[1] then redis.call('DEL', log, state) end
  return { #tail > 0 and 'behind' or 'diverged', now }
end
if last > 0 and op ~= ARGV[2] then return { 'diverged', now } end -- previous id
local out, bytes, isKnown = {}, 0, false
for place = last > 0 and 2 or 1, #tail do
  if #out >= ${page} or bytes > ${pageBytes} then return { 'more', now, out } end
  move(tail[place])
  if op == id then isKnown = true end -- deduplication
  local head, sealed = unpack(tail[place][2])
  bytes = bytes + #sealed
  out[#out + 1] = { index, head, sealed }
  if op == sent then out, bytes = {}, 0 end
end
now = math.max(now, at)
local function add(name, operation, number, sealed)
  local head = table.concat({ operation, op, name, now, number }, ' ')
  index = tonumber(string.sub(redis.call('XADD', log, '0-*', head, sealed), 3))
  op, letter = operation, name
  return head
end
local isThere = index > 0 and letter ~= 'e'
if not isThere then
  if start == '' then return { 'none', now, out, index } end
  now = math.max(now, at + 1)
  if #tail == 0 then redis.call('DEL', state) end
  redis.call('HSET', state, 'journal', 0)
  local head = add('s', start, 0, '')
  out[#out + 1] = { index, head, '' }
  redis.call('PERSIST', log)
  redis.call('PERSIST', state)
end
local number, seen
if wanted > 0 then
  local taken = redis.pcall('HINCRBY', state, 'journal', wanted)
  if type(taken) == 'number' then
    number, seen = taken - wanted, now
    redis.call('HSET', state, 'seen', now)
  elseif kind then
    return taken
  else -- the memory is full: a read gets its response, but no number of its own in the journal
    number, seen = tonumber(redis.call('HGET', state, 'journal') or 0), now
  end
else
  local known = redis.call('HMGET', state, 'journal', 'seen')
  number, seen = tonumber(known[1] or 0), tonumber(known[2] or 0)
end
local isAppended, isDue, grown = 0, 0, 0
if kind and not isKnown then
  add(kind, id, number, body)
  isAppended = 1
  grown = redis.call('HINCRBY', state, 'bytes', #body + 100)
  if kind == 'e' then expiry = expiry > 0 and math.min(expiry, 86400000) or 86400000 end
end
if grown >= limit and now > tonumber(redis.call('HGET', state, 'claim') or 0) then
  redis.call('HSET', state, 'claim', now + 10000)
  isDue = 1
end
if expiry > 0 then
  redis.call('PEXPIRE', log, expiry)
  redis.call('PEXPIRE', state, expiry)
end
return { 'ok', now, out, index, isAppended, number, isDue, seen }
`

/**
 * Activates a snapshot whose chunks are already written, and trims the log before it.
 *
 * KEYS: log, state. ARGV: index and operation of the snapshot, the index of the previous one, its meta, its fields.
 * Returns 1, or 0 when another mock was first, or the log has diverged.
 */
const commitScript = `
local log, state = KEYS[1], KEYS[2]
local entry = redis.call('XRANGE', log, '0-' .. ARGV[1], '0-' .. ARGV[1])
if #entry == 0 or string.match(entry[1][2][1], '^%S*') ~= ARGV[2] then return 0 end
if (redis.call('HGET', state, 'base') or '0') ~= ARGV[3] then return 0 end
local needed, gone = {}, {}
for place = 5, #ARGV do needed[ARGV[place]] = true end
for _, field in ipairs(redis.call('HKEYS', state)) do
  if string.sub(field, 1, 2) == 'c:' and not needed[field] then gone[#gone + 1] = field end
  needed[field] = nil
end
if next(needed) ~= nil then return 0 end
redis.call('HSET', state, 'base', ARGV[1], 'meta', ARGV[4], 'bytes', 0)
redis.call('HDEL', state, 'claim')
for _, field in ipairs(gone) do redis.call('HDEL', state, field) end
redis.call('XTRIM', log, 'MINID', '=', '0-' .. ARGV[1])
return 1
`

/**
 * Joins the mocks of a name, when the record of this one equals theirs. Only its first line may differ, while no other mock is
 * running. KEYS: mock, mocks. ARGV: the record, the id of this mock, milliseconds after which a mock counts as gone.
 * Returns an empty string, or the existing record.
 */
const joinScript = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local there, gone = redis.call('GET', KEYS[1]), now - tonumber(ARGV[3])
if there and there ~= ARGV[1] then
  local isAlone = redis.call('ZCOUNT', KEYS[2], '(' .. gone, '+inf') == 0
  if string.match(there, '^[^\\n]*\\n(.*)$') ~= string.match(ARGV[1], '^[^\\n]*\\n(.*)$') or not isAlone then return there end
end
if there ~= ARGV[1] then redis.call('SET', KEYS[1], ARGV[1]) end
if redis.call('ZCOUNT', KEYS[2], '-inf', gone) > 0 then redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', gone) end
redis.call('ZADD', KEYS[2], now, ARGV[2])
return ''
`

/** Removes a sandbox from the list, unless it was used later. KEYS: sandboxes. ARGV: its name, the time of its end. */
const unlistScript = `
local used = redis.call('ZSCORE', KEYS[1], ARGV[1])
if used and tonumber(used) <= tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`

export const scripts = {
  appendEntry: appendScript,
  commitSnapshot: commitScript,
  joinMocks: joinScript,
  unlistSandbox: unlistScript,
}

export type ScriptName = keyof typeof scripts
