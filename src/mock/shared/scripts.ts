/** What runs within the engine, each at once and on the keys of one sandbox. */

/**
 * Appends entries to the log of a sandbox, and returns those that others have appended.
 *
 * KEYS: log, state. ARGV: the last index that the mock has applied (0: none) and the operation there; entries and bytes of a
 * page; how many journal numbers to take; the operation of a start (empty: a sandbox that is not there is left alone);
 * milliseconds until idle keys expire (0: never); entries and bytes after which a snapshot is due; `anew` where the log
 * has lost its beginning; then kind, operation and body of each entry.
 *
 * Returns a status (ok, more, none, behind, diverged), the time, the tail, for each entry its index (0: it stands in the
 * tail) and its journal number, the latest number before the reads, whether this mock shall write a snapshot, and when the
 * latest request came.
 */
export const appendScript = `
local log, state = KEYS[1], KEYS[2]
local last, page, limit = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local wanted, start, expiry = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local tail, out, known, bytes = {}, {}, {}, 0
local isAnew = ARGV[10] == 'anew'
if isAnew then
  tail = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)
else
  tail = redis.call('XRANGE', log, last > 0 and ('0-' .. ARGV[1]) or '-', '+', 'COUNT', page + 2)
end
if last > 0 then
  if #tail == 0 then return { 'diverged', now } end
  if tail[1][1] ~= '0-' .. ARGV[1] then return { 'behind', now } end
  if tail[1][2][4] ~= ARGV[2] then return { 'diverged', now } end -- previous id
elseif #tail > 0 and tail[1][1] ~= '0-1' and not isAnew then
  return { 'behind', now }
end
local index, op, at, kind = 0, '', 0, ''
local function move(entry)
  local fields = entry[2]
  index, kind, op, at = tonumber(string.sub(entry[1], 3)), fields[2], fields[4], tonumber(fields[8])
end
if (last > 0 or isAnew) and #tail > 0 then move(tail[1]) end
for place = (last > 0 or isAnew) and 2 or 1, #tail do
  local fields = tail[place][2]
  if #out >= page or (bytes > limit and #out > 0) then return { 'more', now, out } end
  move(tail[place])
  known[op] = true -- deduplication
  bytes = bytes + #fields[12]
  out[#out + 1] = { index, kind, op, fields[6], at, fields[10], fields[12] }
end
now = math.max(now, at)
local size = 0
local function add(name, id, number, body)
  redis.call('XADD', log, '0-*', 'k', name, 'o', id, 'p', op, 't', now, 'n', number, 'b', body)
  index, op, kind, size = index + 1, id, name, size + #body + 100
end
local isThere = index > 0 and kind ~= 'e'
if not isThere and start == '' then return { 'none', now, out } end
if not isThere or isAnew then
  now = math.max(now, at + 1)
  local before = op
  if not isThere then redis.call('HSET', state, 'journal', 0) end
  add('s', start, 0, '')
  out[#out + 1] = { index, 's', start, before, now, 0, '' }
  redis.call('PERSIST', log)
  redis.call('PERSIST', state)
end
local number = 0
if wanted > 0 then
  number = redis.call('HINCRBY', state, 'journal', wanted) - wanted
  redis.call('HSET', state, 'seen', now)
else
  number = tonumber(redis.call('HGET', state, 'journal') or 0)
end
local mine, isEnded = {}, false
for place = 11, #ARGV, 3 do
  local name, id = ARGV[place], ARGV[place + 1]
  if name == 'r' then number = number + 1 end
  if known[id] then
    mine[#mine + 1] = 0
  else
    add(name, id, number, ARGV[place + 2])
    isEnded = isEnded or name == 'e'
    mine[#mine + 1] = index
  end
  mine[#mine + 1] = number
end
if isEnded then
  expiry = expiry > 0 and math.min(expiry, 86400000) or 86400000
end
if expiry > 0 then
  redis.call('PEXPIRE', log, expiry)
  redis.call('PEXPIRE', state, expiry)
end
local isDue = 0
if size > 0 then
  local grown = redis.call('HINCRBY', state, 'bytes', size)
  local base = redis.call('HMGET', state, 'base', 'claim')
  local isLong = index - tonumber(base[1] or 0) >= tonumber(ARGV[8]) or grown >= tonumber(ARGV[9])
  if isLong and now > tonumber(base[2] or 0) then
    redis.call('HSET', state, 'claim', now + 10000)
    isDue = 1
  end
end
local seen = wanted > 0 and now or tonumber(redis.call('HGET', state, 'seen') or 0)
return { 'ok', now, out, mine, number, isDue, seen }
`

/**
 * Makes a snapshot the one that mocks begin with, and trims the log behind it. Its chunks are there already.
 *
 * KEYS: log, state. ARGV: index and operation of the snapshot, the index of the one before, its meta, the fields that it needs.
 * Returns 1, or 0 when another mock was first, or the log has another past.
 */
export const commitScript = `
local log, state = KEYS[1], KEYS[2]
local entry = redis.call('XRANGE', log, '0-' .. ARGV[1], '0-' .. ARGV[1])
if #entry == 0 or entry[1][2][4] ~= ARGV[2] then return 0 end
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
 * Joins the mocks of a name, when the record of this one equals theirs but for the versions of the kit, and none with another
 * version is there. KEYS: mock, mocks. ARGV: the record, its part without version, the id of this mock, milliseconds after
 * which a mock is gone. Returns an empty text, or the record that is there.
 */
export const joinScript = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
local there = redis.call('GET', KEYS[1])
if there and there ~= ARGV[1] then
  local isAlone = redis.call('ZCARD', KEYS[2]) == 0
  if string.match(there, '^[^\\n]*\\n(.*)$') ~= string.match(ARGV[1], '^[^\\n]*\\n(.*)$') or not isAlone then return there end
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[2], now, ARGV[2])
return ''
`

/** Removes a sandbox from the list unless it was used after. KEYS: sandboxes. ARGV: its name, the time of its end. */
export const unlistScript = `
local used = redis.call('ZSCORE', KEYS[1], ARGV[1])
if used and tonumber(used) <= tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
`
