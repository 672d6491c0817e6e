#!lua name=@NAME@

-- The operations of a shared soup inside Redis. Each call of a function is one atomic step (`Store` has the
-- invariants, `RedisStore` the client). Functions of this file touch the keys alone that the caller declares.
--
-- An error in Lua rolls nothing back. So an operation checks everything first, and writes afterwards: it either returns
-- a failure and has written nothing, or it cannot fail any more.
--
-- Repetitions. Each process numbers its writing calls, and REPLY of the process has the last number with its reply. The
-- same number gets the same reply, and a smaller one is refused: it is a call that was delayed on a broken connection.
-- A process also says which number was acknowledged last. If REPLY has less, the server has lost steps of the process:
-- by a failover, or by a restart from an older log. A worker of it may have a firing whose end was lost, and which
-- nobody would run. So the leases of the process end, and its calls fail.
--
-- Wake-ups. IDLE has the workers that found nothing and have room. What enables a reaction takes one of them out, for
-- each class of workers that offers the reaction, and tells its process alone. A worker is in IDLE before it sleeps,
-- because the step that found nothing put it there. What leaves something for others wakes the next one.
--
-- A molecule is packed as {name, id, key, value, call, expires}. Ids of clients are text, because a number of Lua has
-- 53 bits. Times are microseconds of the soup's clock.

local META, REPLY, CALLS, ENDED, LEASES, WORKERS, FIRINGS, AGAIN, DUE = 1, 2, 3, 4, 5, 6, 7, 8, 9
local IDLE, KEYED, READY, TURNS, DEAD, LATER, EXPIRING, PRODUCERS, ONCE, BAGS = 10, 11, 12, 13, 14, 15, 16, 17, 18, 18
local RUNNING, PAUSED, DRAINING, STOPPED = 0, 1, 2, 3
local REPLIED, FAILED, NEVER_REPLIED, CALL_STOPPED, TIMED_OUT = 0, 1, 2, 3, 4
local LONGEST_RUN, DAY, HOUR = 32, 86400, 3600000000

local function call(...) return redis.call(...) end
local function pack(value) return cmsgpack.pack(value) end
local function unpacked(text) return cmsgpack.unpack(text) end

-- Arguments, one after the other.
local function word(s)
  s.at = s.at + 1
  return s.args[s.at]
end
local function number(s) return tonumber(word(s)) end
local function list(s, read)
  local all = {}
  for i = 1, number(s) do all[i] = read(s) end
  return all
end
-- {name, key, value, call, lifetime, delay}
local function injection(s)
  local a, at = s.args, s.at
  s.at = at + 6
  return {tonumber(a[at + 1]), a[at + 2], a[at + 3], a[at + 4] ~= '' and a[at + 4], tonumber(a[at + 5]),
          tonumber(a[at + 6])}
end

local function next_id(s)
  s.next = s.next + 1
  return s.next
end

-- Chemistry: decoded once for each version of it. `token` changes with each write.
local chemistries = {}

local function derived(raw, token)
  local chem = {raw = raw, token = token, consumers = {}, classes = {}, needs = {}}
  for id, reaction in pairs(raw.reactions) do
    local counts, needs = {}, {}
    for _, name in ipairs(reaction.inputs) do
      if not counts[name] then needs[#needs + 1] = name end
      counts[name] = (counts[name] or 0) + 1
    end
    for i, name in ipairs(needs) do needs[i] = {name, counts[name]} end
    chem.needs[id] = needs
    if reaction.state then counts[reaction.state] = 1 end
    for name in pairs(counts) do
      chem.consumers[name] = chem.consumers[name] or {}
      table.insert(chem.consumers[name], id)
    end
    chem.classes[id] = {}
  end
  for class, offers in pairs(raw.classes) do
    for _, id in ipairs(offers) do if chem.classes[id] then table.insert(chem.classes[id], class) end end
  end
  return chem
end

local function set_chemistry(s, raw)
  s.token = string.format('%s:%s:%.0f', s.client, s.args[3], s.now)
  call('HSET', s.keys[META], 'chemistry', pack(raw), 'token', s.token)
  s.chem = derived(raw, s.token)
  chemistries[s.soup] = s.chem
end

local function chemistry(s)
  local chem = s.chem or chemistries[s.soup]
  if not chem or chem.token ~= s.token then
    chem = derived(unpacked(call('HGET', s.keys[META], 'chemistry')), s.token)
    chemistries[s.soup] = chem
  end
  s.chem = chem
  return chem
end

-- Bells. The caller rings those of its own process, which are in the reply. A bell never fails a step. Returns whether
-- the process hears it.
local function notify(s, process, message)
  if process == s.client then
    table.insert(s.rings, message)
    return true
  end
  local hearers = redis.pcall('PUBLISH', s.prefix .. process, message)
  return type(hearers) == 'number' and hearers > 0
end

local function broadcast(s, message)
  if s.told[message] then return end
  s.told[message] = true
  table.insert(s.rings, message)
  redis.pcall('PUBLISH', s.prefix .. 'all', s.client .. ' ' .. message)
end

-- For what waits for the end of a drain.
local function progress(s) if s.condition == DRAINING then broadcast(s, 'control') end end

local function note_change(s)
  s.version = s.version + 1
  broadcast(s, 'everybody')
end

-- Members of sorted sets that are ordered by a number: first by this one. Keys may contain zeros, so %s cannot do it.
local function order(number) return string.format('%06d:', number) end
local function place(number) return string.format('%016.0f', number) end
local function span(number) return '[' .. order(number), string.format('(%06d;', number) end
local function members(s, key, number, limit)
  local low, high = span(number)
  return call('ZRANGEBYLEX', s.keys[key], low, high, 'LIMIT', 0, limit)
end

local function idle_member(class, worker, process) return order(class) .. worker .. ':' .. process end

-- Wakes one idle worker of each class that offers the reaction. A process that has ended does not hear it, so the next
-- worker is tried. A process that reconnects rings all its bells.
local function wake(s, reaction)
  for _, class in ipairs(chemistry(s).classes[reaction] or {}) do
    if s.woken[class] == nil then
      repeat
        local idle = members(s, IDLE, class, 1)[1]
        if idle then call('ZREM', s.keys[IDLE], idle) end
        s.woken[class] = idle ~= nil and notify(s, string.match(idle, ':([^:]*)$'), 'class ' .. class)
      until not idle or s.woken[class]
    end
  end
end

-- Notes that the reactions over a name must be looked at before the step ends. A worker must learn of a new time, too.
local function touch(s, name, is_time)
  for _, reaction in ipairs(chemistry(s).consumers[name] or {}) do
    s.touched[reaction] = s.touched[reaction] or is_time or false
  end
end

-- Bags. Without keys: a list for each name, the oldest first. With keys: a field for each name and key of one hash.
local function length(s, name)
  local count = s.lengths[name]
  if not count then
    count = call('LLEN', s.keys[BAGS + name])
    s.lengths[name] = count
  end
  return count
end

-- Writes the molecules that wait for their bags.
local function push(s)
  for name, entries in pairs(s.pending) do
    for first = 1, #entries, 500 do
      call('RPUSH', s.keys[BAGS + name], unpack(entries, first, math.min(first + 499, #entries)))
    end
  end
  for field in pairs(s.dirty) do
    if #s.keyed[field] > 0 then
      call('HSET', s.keys[KEYED], field, pack(s.keyed[field]))
    else
      call('HDEL', s.keys[KEYED], field)
    end
  end
  s.pending, s.dirty = {}, {}
end

local function keyed(s, name, key)
  local field = name .. ':' .. key
  local entries = s.keyed[field]
  if not entries then
    local found = call('HGET', s.keys[KEYED], field)
    entries = found and unpacked(found) or {}
    s.keyed[field] = entries
  end
  return entries, field
end

local function has_key(s, reaction, key)
  for _, need in ipairs(chemistry(s).needs[reaction]) do
    if #keyed(s, need[1], key) < need[2] then return false end
  end
  return true
end

-- READY has a row for each reaction and key that may be able to fire, in turn. A row may be outdated.
local function note_ready(s, reaction, key)
  local field = order(reaction) .. key
  if call('HEXISTS', s.keys[TURNS], field) == 1 or not has_key(s, reaction, key) then return end
  local turn = place(next_id(s))
  call('HSET', s.keys[TURNS], field, turn)
  call('ZADD', s.keys[READY], 0, order(reaction) .. turn .. ':' .. key)
end

local function forget_ready(s, reaction, key)
  local field = order(reaction) .. key
  local turn = call('HGET', s.keys[TURNS], field)
  if not turn then return end
  call('HDEL', s.keys[TURNS], field)
  call('ZREM', s.keys[READY], order(reaction) .. turn .. ':' .. key)
end

local function first_ready(s, reaction)
  while true do
    local row = members(s, READY, reaction, 1)[1]
    if not row then return nil end
    local key = string.sub(row, 25)
    if has_key(s, reaction, key) then return key end
    forget_ready(s, reaction, key)
  end
end

-- The key with which the bags have the inputs of a reaction, without its state. Empty for names without keys.
local function match(s, reaction)
  local is_there = true
  for _, need in ipairs(chemistry(s).needs[reaction]) do if length(s, need[1]) < need[2] then is_there = false end end
  return is_there and '' or first_ready(s, reaction)
end

local function has_state(s, reaction)
  local state = chemistry(s).raw.reactions[reaction].state
  return not state or length(s, state) > 0
end

local function add(s, entry, name, key, expires)
  if expires then call('ZADD', s.keys[EXPIRING], expires, entry) end
  touch(s, name, expires and true)
  if key == '' then
    s.lengths[name] = length(s, name) + 1
    s.pending[name] = s.pending[name] or {}
    table.insert(s.pending[name], entry)
  else
    local entries, field = keyed(s, name, key)
    table.insert(entries, entry)
    s.dirty[field] = true
    for _, reaction in ipairs(chemistry(s).consumers[name] or {}) do note_ready(s, reaction, key) end
  end
end

local function put(s, new)
  local name, key, value, id, lifetime, delay = new[1], new[2], new[3], new[4], new[5], new[6]
  if delay > 0 then
    call('ZADD', s.keys[LATER], s.now + delay, pack({next_id(s), name, key, value, lifetime or false}))
    return touch(s, name, true)
  end
  local expires = lifetime and s.now + lifetime or false
  local entry = pack({name, next_id(s), key, value, id, expires})
  if id then call('HSET', s.keys[CALLS], id, pack({false, s.client, entry})) end
  add(s, entry, name, key, expires)
end

-- Puts a molecule back that was in its bag before: at the place of its id, which is mostly the head.
local function restore(s, entry)
  local molecule = unpacked(entry)
  local name, id, key, expires = molecule[1], molecule[2], molecule[3], molecule[6]
  local entries, place
  push(s)
  if key == '' then entries = call('LRANGE', s.keys[BAGS + name], 0, -1) else entries = keyed(s, name, key) end
  for i = 1, #entries do
    if unpacked(entries[i])[2] > id then
      place = i
      break
    end
  end
  if not place then return add(s, entry, name, key, expires) end
  if expires then call('ZADD', s.keys[EXPIRING], expires, entry) end
  touch(s, name, expires and true)
  if key == '' then
    call('LINSERT', s.keys[BAGS + name], 'BEFORE', entries[place], entry)
    s.lengths[name] = nil
  else
    table.insert(entries, place, entry)
    s.dirty[name .. ':' .. key] = true
    for _, reaction in ipairs(chemistry(s).consumers[name] or {}) do note_ready(s, reaction, key) end
  end
end

-- Takes a molecule out of its bag, wherever it is. Returns false if it is not there.
local function take_out(s, entry)
  local molecule = unpacked(entry)
  local name, key = molecule[1], molecule[3]
  if molecule[6] then call('ZREM', s.keys[EXPIRING], entry) end
  if key == '' then
    push(s)
    local count = call('LREM', s.keys[BAGS + name], 1, entry)
    s.lengths[name] = nil
    return count > 0
  end
  local entries, field = keyed(s, name, key)
  for i, other in ipairs(entries) do
    if other == entry then
      table.remove(entries, i)
      s.dirty[field] = true
      return true
    end
  end
  return false
end

-- Calls. A call is {false, process, molecule}, and {kind, value, time} when it has its outcome.
local function settle_call(s, id, kind, value)
  local found = call('HGET', s.keys[CALLS], id)
  local open = found and unpacked(found)
  if not open or open[1] then return false end
  call('HSET', s.keys[CALLS], id, pack({kind, value, s.now}))
  call('ZADD', s.keys[ENDED], 0, id)
  notify(s, open[2], 'client ' .. string.match(id, '^[^:]*'))
  return true
end

local function withdraw(s, id)
  local found = call('HGET', s.keys[CALLS], id)
  if not found then return false end
  local state = unpacked(found)
  call('HDEL', s.keys[CALLS], id)
  if state[1] then
    call('ZREM', s.keys[ENDED], id)
    return {state[1], state[2]}
  end
  take_out(s, state[3])
  progress(s)
  return false
end

local function settle_calls_of(s, entries, kind, value)
  for _, entry in ipairs(entries) do
    local id = unpacked(entry)[5]
    if id then settle_call(s, id, kind, value) end
  end
end

-- Ends the calls that no worker has; with `all` those that workers have, too.
local function stop_calls(s, all)
  local held, open, calls = {}, {}, call('HGETALL', s.keys[CALLS])
  if not all then
    for _, packed in ipairs(call('HVALS', s.keys[FIRINGS])) do
      for _, entry in ipairs(unpacked(packed)[6] or {}) do held[entry] = true end
    end
  end
  for i = 1, #calls, 2 do
    local state = unpacked(calls[i + 1])
    if not state[1] and not held[state[3]] then table.insert(open, {unpacked(state[3])[2], calls[i], state[3]}) end
  end
  -- The oldest first, so each is near the head of its bag.
  table.sort(open, function(a, b) return a[1] < b[1] end)
  for _, found in ipairs(open) do
    take_out(s, found[3])
    settle_call(s, found[2], CALL_STOPPED, '')
  end
end

-- Firings. Of a worker: FIRINGS has {worker, reaction, fence, failures, losses, inputs}, and under 's' and a name
-- {worker, state}. AGAIN has those that run again, and DUE their order: reaction, time, id.
local function due_member(reaction, due, id) return order(reaction) .. place(due) .. ':' .. id end

local function run_again(s, id, record, due)
  record[1] = ''
  call('HSET', s.keys[AGAIN], id, pack(record))
  call('ZADD', s.keys[DUE], 0, due_member(record[2], due, id))
  s.touched[record[2]], s.waits = true, nil
  if s.condition == STOPPED then settle_calls_of(s, record[6], CALL_STOPPED, '') end
end

local function bury(s, id, record, failure)
  call('HSET', s.keys[DEAD], id, pack({record[2], record[3], record[4], record[5], failure, record[6]}))
  settle_calls_of(s, record[6], FAILED, failure)
end

-- The next firings of the reaction that run again: those that are due now, or the first that is due later.
local function waiting(s, reaction, limit, is_later)
  if s.waits == nil then s.waits = call('ZCARD', s.keys[DUE]) > 0 end
  if not s.waits then return {} end
  local now, low, high = order(reaction) .. place(s.now) .. ';', span(reaction)
  if is_later then low = '[' .. now else high = '(' .. now end
  return call('ZRANGEBYLEX', s.keys[DUE], low, high, 'LIMIT', 0, limit)
end

local function can_start(s, reaction)
  return has_state(s, reaction) and (#waiting(s, reaction, 1) > 0 or match(s, reaction) ~= nil)
end

-- Whether a firing was with so many lost workers that it must be alone in the next one.
local function is_suspect(s, reaction, losses)
  local known = chemistry(s).raw.reactions[reaction]
  return known and losses > 0 and losses >= math.min(2, known.losses - 1)
end

local function note_use(s, reactions)
  for _, id in ipairs(reactions) do call('HSET', s.keys[META], 'seen:' .. id, s.now) end
end

-- Ends a lease. Its firings run again, and states go back as they were.
local function take_back(s, worker, is_lost)
  local found = call('HGET', s.keys[WORKERS], worker)
  if not found then return end
  local info, chem = unpacked(found), chemistry(s)
  note_use(s, chem.raw.classes[info[1]] or {})
  call('HDEL', s.keys[WORKERS], worker)
  call('ZREM', s.keys[LEASES], worker)
  call('ZREM', s.keys[IDLE], idle_member(info[1], worker, info[2]))
  local firings = call('HGETALL', s.keys[FIRINGS])
  for i = 1, #firings, 2 do
    local id, record = firings[i], unpacked(firings[i + 1])
    if record[1] == worker then
      call('HDEL', s.keys[FIRINGS], id)
      if #record == 2 then
        restore(s, record[2])
      else
        if is_lost then record[5] = record[5] + 1 end
        local reaction = chem.raw.reactions[record[2]]
        if is_lost and reaction and record[5] >= reaction.losses then
          bury(s, id, record, 'its worker was lost ' .. record[5] .. ' times')
        else
          run_again(s, id, record, s.now)
        end
      end
    end
  end
  note_change(s)
  progress(s)
end

-- Between two steps, a lease runs for a third of its length at most, because workers make a step that often. If it was
-- longer, the server was away, or no process worked.
local function keep_leases(s, silence)
  local workers = call('HGETALL', s.keys[WORKERS])
  for i = 1, #workers, 2 do
    local ends, beat = tonumber(call('ZSCORE', s.keys[LEASES], workers[i])), unpacked(workers[i + 1])[5]
    if silence > beat and ends > s.now - silence then
      call('ZADD', s.keys[LEASES], ends + silence - beat, workers[i])
    end
  end
end

local function recover(s)
  local over = call('ZRANGEBYSCORE', s.keys[LEASES], '-inf', '(' .. place(s.now))
  for _, worker in ipairs(over) do take_back(s, worker, true) end
end

local function end_leases_of_process(s)
  local workers = call('HGETALL', s.keys[WORKERS])
  for i = 1, #workers, 2 do
    if unpacked(workers[i + 1])[2] == s.client then take_back(s, workers[i], false) end
  end
end

-- Moves all that is due, so a molecule whose time is over does not react.
local function run_due(s)
  repeat
    local due = call('ZRANGEBYSCORE', s.keys[LATER], '-inf', s.now, 'LIMIT', 0, 100)
    for _, packed in ipairs(due) do
      call('ZREM', s.keys[LATER], packed)
      local new = unpacked(packed)
      put(s, {new[2], new[3], new[4], false, new[5] or nil, 0})
    end
  until #due == 0
  repeat
    local expired = call('ZRANGEBYSCORE', s.keys[EXPIRING], '-inf', s.now, 'LIMIT', 0, 100)
    for _, entry in ipairs(expired) do
      local molecule = unpacked(entry)
      take_out(s, entry)
      if molecule[5] then settle_call(s, molecule[5], TIMED_OUT, '') end
      local names = chemistry(s).raw.names
      local late = names[molecule[1]].late
      if late then put(s, {late, '', molecule[4], false, names[late].lifetime or nil, 0}) end
      progress(s)
    end
  until #expired == 0
  push(s)
end

-- Takes.
local function is_busy(s, worker)
  for _, packed in ipairs(call('HVALS', s.keys[FIRINGS])) do if unpacked(packed)[1] == worker then return true end end
  return false
end

-- Gives a firing to the worker, and returns it as the worker gets it.
local function hand_out(s, id, record)
  record[1] = s.worker
  table.insert(s.records, id)
  table.insert(s.records, pack(record))
  s.has_taken = true
  local inputs = {}
  for i, entry in ipairs(record[6]) do inputs[i] = unpacked(entry) end
  return {id, record[2], record[3], record[4], record[5], inputs}
end

local function take_waiting(s, reaction, is_partner)
  for _, member in ipairs(waiting(s, reaction, is_partner and 50 or 1)) do
    local id = string.sub(member, 25)
    local record = unpacked(call('HGET', s.keys[AGAIN], id))
    if not (is_partner and record[5] > 0) then
      if is_suspect(s, reaction, record[5]) then
        s.is_full = true
        if s.has_taken or is_busy(s, s.worker) then return nil end
        s.alone = id
      end
      call('HDEL', s.keys[AGAIN], id)
      call('ZREM', s.keys[DUE], member)
      record[3] = record[3] + 1
      return hand_out(s, id, record), record[5]
    end
  end
end

local function take_match(s, reaction)
  local key = match(s, reaction)
  if not key then return nil end
  local found, chem = {}, chemistry(s)
  for _, need in ipairs(chem.needs[reaction]) do
    local name, count = need[1], need[2]
    if key == '' then
      found[name] = call('LPOP', s.keys[BAGS + name], count)
      s.lengths[name] = s.lengths[name] - count
    else
      local entries, field = keyed(s, name, key)
      found[name] = {}
      for i = 1, count do found[name][i] = table.remove(entries, 1) end
      s.dirty[field] = true
    end
  end
  if key ~= '' then
    -- The key goes behind the other ones.
    forget_ready(s, reaction, key)
    note_ready(s, reaction, key)
  end
  local inputs = {}
  for i, name in ipairs(chem.raw.reactions[reaction].inputs) do inputs[i] = table.remove(found[name], 1) end
  local id = string.format('%s:%.0f', s.ids, s.first_id)
  s.first_id = s.first_id + 1
  local firing = hand_out(s, id, {s.worker, reaction, 1, 0, 0, inputs})
  for i, molecule in ipairs(firing[6]) do if molecule[6] then call('ZREM', s.keys[EXPIRING], inputs[i]) end end
  return firing
end

-- One run: a firing, or the state with up to 32 firings over it, those that run again before new matches.
local function take_run(s, reaction, offers, is_again)
  if not has_state(s, reaction) then return nil end
  local first, losses
  if is_again then first, losses = take_waiting(s, reaction) else first, losses = take_match(s, reaction), 0 end
  if not first then return nil end
  local reactions = chemistry(s).raw.reactions
  local name = reactions[reaction].state
  if not name then return {false, {first}} end
  local state = call('LPOP', s.keys[BAGS + name])
  s.lengths[name] = length(s, name) - 1
  table.insert(s.records, 's' .. name)
  table.insert(s.records, pack({s.worker, state}))
  local run = {unpacked(state), {first}}
  local has_more = losses == 0
  while has_more and #run[2] < LONGEST_RUN do
    has_more = false
    for _, partner in ipairs(offers) do
      if reactions[partner].state == name and #run[2] < LONGEST_RUN then
        local firing = take_waiting(s, partner, true) or take_match(s, partner)
        if firing then
          table.insert(run[2], firing)
          has_more = true
        end
      end
    end
  end
  return run
end

local function shuffle(all)
  for i = #all, 2, -1 do
    local other = math.random(i)
    all[i], all[other] = all[other], all[i]
  end
end

local function take(s, limit, info)
  local runs, due, offers = {}, {}, {}
  call('ZREM', s.keys[IDLE], idle_member(info[1], s.worker, info[2]))
  if (s.condition ~= RUNNING and s.condition ~= DRAINING) or limit == 0 then
    -- It may have been woken for what it does not take, so another one looks.
    for _, id in ipairs(chemistry(s).raw.classes[info[1]] or {}) do s.touched[id] = s.touched[id] or false end
    return {runs, 0, false, s.version}
  end
  run_due(s)
  local reactions = chemistry(s).raw.reactions
  for _, id in ipairs(chemistry(s).raw.classes[info[1]] or {}) do
    if reactions[id] then table.insert(offers, id) end
  end
  math.randomseed(s.number % 1000000007)
  for _, is_again in ipairs({true, false}) do
    local has_more = true
    while has_more and #runs < limit and not s.is_full do
      has_more = false
      shuffle(offers)
      for _, reaction in ipairs(offers) do
        local run = not s.is_full and take_run(s, reaction, offers, is_again)
        if run then
          table.insert(runs, run)
          has_more = true
          break
        end
      end
    end
  end
  for first = 1, #s.records, 500 do
    call('HSET', s.keys[FIRINGS], unpack(s.records, first, math.min(first + 499, #s.records)))
  end
  if #runs == limit or s.is_full then
    for _, reaction in ipairs(offers) do s.touched[reaction] = s.touched[reaction] or false end
    s.rings_own = info[1]
    return {runs, s.is_full and 1 or 0, false, s.version}
  end
  call('ZADD', s.keys[IDLE], 0, idle_member(info[1], s.worker, info[2]))
  for _, key in ipairs({LATER, EXPIRING}) do
    table.insert(due, tonumber(call('ZRANGE', s.keys[key], 0, 0, 'WITHSCORES')[2]))
  end
  for _, reaction in ipairs(offers) do
    local first = waiting(s, reaction, 1, true)[1]
    if first then table.insert(due, tonumber(string.sub(first, 8, 23))) end
  end
  table.sort(due)
  return {runs, 0, due[1] and math.max(0, due[1] - s.now) or false, s.version}
end

-- Settlements: {firings, state}; a firing is {id, fence, outputs, replies, error, time of the next attempt}.
local function reply(s) return {word(s), number(s), word(s), list(s, injection)} end
local function ending(s)
  local id, fence = word(s), number(s)
  if word(s) == 'done' then return {id, fence, list(s, injection), list(s, reply)} end
  return {id, fence, false, false, word(s), number(s)}
end
local function settlement(s)
  local firings, state = list(s, ending), number(s)
  return {firings, state and {state, number(s), '', word(s), false, false}}
end

local function settle(s, given)
  local records = {}
  for i, firing in ipairs(given[1]) do
    local found = call('HGET', s.keys[FIRINGS], firing[1])
    records[i] = found and unpacked(found)
    if not found or records[i][1] ~= s.worker or records[i][3] ~= firing[2] then return 0 end
  end
  for i, firing in ipairs(given[1]) do
    local id, record = firing[1], records[i]
    call('HDEL', s.keys[FIRINGS], id)
    if s.alone == id then s.alone = false end
    if firing[3] then
      s.consumed = s.consumed + #record[6]
      for _, new in ipairs(firing[3]) do put(s, new) end
      for _, answer in ipairs(firing[4]) do
        if not settle_call(s, answer[1], answer[2], answer[3]) then
          for _, new in ipairs(answer[4]) do put(s, new) end
        end
      end
    else
      record[4] = record[4] + 1
      if firing[6] then run_again(s, id, record, s.now + firing[6]) else bury(s, id, record, firing[5]) end
    end
  end
  if given[2] then
    call('HDEL', s.keys[FIRINGS], 's' .. given[2][1])
    restore(s, pack(given[2]))
  end
  progress(s)
  return 1
end

-- The operations. They return their result, or nil and the kind of the failure.
local function inject(s)
  local kind, source, numeral = word(s), word(s), word(s)
  local forgotten, new = list(s, word), list(s, injection)
  if s.condition == DRAINING or s.condition == STOPPED then return nil, 'stopped' end
  for _, id in ipairs(forgotten) do withdraw(s, id) end
  if kind == 'once' then
    if call('SADD', s.keys[ONCE], source) == 0 then return {0} end
  elseif kind == 'numbered' then
    -- Numerals of one length compare as text.
    local last = call('HGET', s.keys[PRODUCERS], source)
    if last and last >= numeral then return {0} end
    call('HSET', s.keys[PRODUCERS], source, numeral)
  end
  for _, molecule in ipairs(new) do put(s, molecule) end
  return {1}
end

local function outcomes(s)
  local client, result = word(s), {}
  local ids = call('ZRANGEBYLEX', s.keys[ENDED], '[' .. client .. ':', '(' .. client .. ';')
  for _, id in ipairs(ids) do
    local state = unpacked(call('HGET', s.keys[CALLS], id))
    table.insert(result, {id, state[1], state[2]})
  end
  return result
end

local function withdraw_all(s)
  local result = {}
  for i, id in ipairs(list(s, word)) do result[i] = withdraw(s, id) end
  return result
end

local function register(s)
  local worker, lease, process, offers = word(s), number(s), word(s), list(s, number)
  local raw = chemistry(s).raw
  for _, id in ipairs(offers) do if not raw.reactions[id] then return nil, 'outdated' end end
  recover(s)
  note_use(s, offers)
  local classes, class = {}, nil
  for _, packed in ipairs(call('HVALS', s.keys[WORKERS])) do
    local used = unpacked(packed)[1]
    classes[used] = raw.classes[used]
  end
  local text = table.concat(offers, ',')
  for id, other in pairs(classes) do if table.concat(other, ',') == text then class = id end end
  if not class then
    class = 1
    while classes[class] do class = class + 1 end
    classes[class] = offers
    raw.classes = classes
    set_chemistry(s, raw)
  end
  local beat = math.ceil(lease / 3)
  if not s.beat or beat < s.beat or call('HLEN', s.keys[WORKERS]) == 0 then call('HSET', s.keys[META], 'beat', beat) end
  call('HSET', s.keys[WORKERS], worker, pack({class, s.client, process, false, beat}))
  call('ZADD', s.keys[LEASES], s.now + lease, worker)
  call('ZADD', s.keys[IDLE], 0, idle_member(class, worker, s.client))
  note_change(s)
  return {class}
end

local function extend(s)
  local worker, lease = word(s), number(s)
  if not call('ZSCORE', s.keys[LEASES], worker) then return nil, 'lease' end
  call('ZADD', s.keys[LEASES], s.now + lease, worker)
  recover(s)
  -- Each hour, deletes outcomes that nobody has read for a day: their callers' processes have ended. A step looks at a
  -- thousand, and the next one goes on from there.
  if s.now > s.swept + HOUR then
    local from = call('HGET', s.keys[META], 'sweep')
    local ids = call('ZRANGEBYLEX', s.keys[ENDED], from and '(' .. from or '-', '+', 'LIMIT', 0, 1000)
    for _, id in ipairs(ids) do
      local state = unpacked(call('HGET', s.keys[CALLS], id))
      if state[3] < s.now - 24 * HOUR then withdraw(s, id) end
    end
    if #ids == 1000 then
      call('HSET', s.keys[META], 'sweep', ids[1000])
    else
      call('HDEL', s.keys[META], 'sweep')
      s.swept = s.now
    end
  end
  return {}
end

local function commit(s)
  local worker, limit, ids, first_id, accepted = word(s), number(s), word(s), number(s), {}
  local settlements = list(s, settlement)
  local found = call('HGET', s.keys[WORKERS], worker)
  if not found then return nil, 'lease' end
  local info = unpacked(found)
  s.worker, s.ids, s.first_id, s.records, s.alone = worker, ids, first_id, {}, info[4]
  for i, given in ipairs(settlements) do accepted[i] = settle(s, given) end
  push(s)
  -- A firing beside which the worker must take nothing.
  s.is_full = s.alone and true or false
  local taken = take(s, limit, info)
  if s.alone ~= info[4] then
    info[4] = s.alone
    call('HSET', s.keys[WORKERS], worker, pack(info))
  end
  return {accepted, taken}
end

local function release(s)
  take_back(s, word(s), false)
  return {}
end

local function set_condition(s, condition)
  s.condition = condition
  if condition == STOPPED then stop_calls(s) end
  broadcast(s, 'everybody')
  return {}
end

local function busy(s)
  if call('HLEN', s.keys[FIRINGS]) > 0 or call('HLEN', s.keys[AGAIN]) > 0 then return 1 end
  for id in pairs(chemistry(s).raw.reactions) do if has_state(s, id) and match(s, id) then return 1 end end
  return 0
end

-- Counts as a flat list.
local function counted(all)
  local result = {}
  for id, count in pairs(all) do
    table.insert(result, id)
    table.insert(result, count)
  end
  return result
end

local function contents(s)
  push(s)
  local raw, workers = chemistry(s).raw, {}
  local counts, later, retries, running, held = {}, {}, {}, {}, {}
  for name in ipairs(raw.names) do counts[name] = length(s, name) end
  local fields = call('HGETALL', s.keys[KEYED])
  for i = 1, #fields, 2 do
    local name = tonumber(string.match(fields[i], '^%d+'))
    counts[name] = counts[name] + #unpacked(fields[i + 1])
  end
  for _, packed in ipairs(call('ZRANGE', s.keys[LATER], 0, -1)) do
    local name = unpacked(packed)[2]
    later[name] = (later[name] or 0) + 1
  end
  for id in pairs(raw.reactions) do retries[id] = call('ZLEXCOUNT', s.keys[DUE], span(id)) end
  for _, packed in ipairs(call('HVALS', s.keys[FIRINGS])) do
    local record = unpacked(packed)
    if #record > 2 then
      running[record[2]] = (running[record[2]] or 0) + 1
      held[record[1]] = (held[record[1]] or 0) + 1
    end
  end
  -- A worker whose lease is over does not count, and still has its firings until another one takes them over.
  for _, worker in ipairs(call('ZRANGEBYSCORE', s.keys[LEASES], s.now, '+inf')) do
    local info = unpacked(call('HGET', s.keys[WORKERS], worker))
    table.insert(workers, {raw.classes[info[1]] or {}, held[worker] or 0, tonumber(info[3])})
  end
  local calls = call('HLEN', s.keys[CALLS]) - call('ZCARD', s.keys[ENDED])
  return {s.condition, counted(counts), counted(later), counted(retries), counted(running), call('HLEN', s.keys[DEAD]),
          calls, s.consumed, busy(s), workers}
end

local function end_drain(s)
  local in_any_case = number(s) == 1
  if s.condition == DRAINING then
    if not in_any_case and busy(s) == 1 then return {} end
    set_condition(s, STOPPED)
  end
  return {contents(s)}
end

local function molecules(s)
  local name, limit, result = number(s), number(s), {}
  for i, entry in ipairs(call('LRANGE', s.keys[BAGS + name], 0, limit - 1)) do result[i] = unpacked(entry) end
  if #result > 0 then return result end
  local fields = call('HGETALL', s.keys[KEYED])
  for i = 1, #fields, 2 do
    if tonumber(string.match(fields[i], '^%d+')) == name then
      for _, entry in ipairs(unpacked(fields[i + 1])) do table.insert(result, unpacked(entry)) end
    end
  end
  table.sort(result, function(a, b) return a[2] < b[2] end)
  for i = #result, limit + 1, -1 do result[i] = nil end
  return result
end

local function dead_firings(s)
  local result, all = {}, call('HGETALL', s.keys[DEAD])
  for i = 1, #all, 2 do
    local letter, inputs = unpacked(all[i + 1]), {}
    for k, entry in ipairs(letter[6]) do inputs[k] = unpacked(entry) end
    table.insert(result, {all[i], letter[1], letter[3], letter[4], letter[5], inputs})
  end
  return result
end

local function settle_dead(s)
  local id, must_retry = word(s), number(s) == 1
  local found = call('HGET', s.keys[DEAD], id)
  if not found then return {0} end
  call('HDEL', s.keys[DEAD], id)
  local letter = unpacked(found)
  if must_retry and chemistry(s).raw.reactions[letter[1]] then
    run_again(s, id, {'', letter[1], letter[2], 0, 0, letter[6]}, s.now)
  elseif must_retry then
    -- An upgrade has removed the reaction.
    for _, entry in ipairs(letter[6]) do restore(s, entry) end
  end
  return {1}
end

-- Removes the reactions that no worker offers, and that no process has declared or offered for a while.
local function retire(s, raw, kept, memory)
  for id in pairs(raw.reactions) do
    local is_used = kept[id] or tonumber(call('HGET', s.keys[META], 'seen:' .. id)) > s.now - memory
    for _, packed in ipairs(call('HVALS', s.keys[WORKERS])) do
      for _, offered in ipairs(raw.classes[unpacked(packed)[1]] or {}) do is_used = is_used or offered == id end
    end
    if not is_used then
      raw.reactions[id] = nil
      set_chemistry(s, raw)
      call('HDEL', s.keys[META], 'seen:' .. id)
      for _, member in ipairs(members(s, DUE, id, -1)) do
        local firing = string.sub(member, 25)
        local record = unpacked(call('HGET', s.keys[AGAIN], firing))
        call('ZREM', s.keys[DUE], member)
        call('HDEL', s.keys[AGAIN], firing)
        for _, entry in ipairs(record[6]) do restore(s, entry) end
      end
      for _, row in ipairs(members(s, READY, id, -1)) do forget_ready(s, id, string.sub(row, 25)) end
    end
  end
end

-- Stores the definition. `expected` is the version of the chemistry with which the caller has compared it.
local function define(s)
  local expected, memory = word(s), number(s)
  local names = list(s, function() return {label = word(s), text = word(s), late = number(s), lifetime = number(s)} end)
  local reactions = list(s, function()
    return {label = word(s), state = number(s), losses = number(s), inputs = list(s, number)}
  end)
  local initial = list(s, injection)
  if (s.token or '') ~= expected then return nil, 'changed' end
  if not s.token then
    s.soup, s.is_new = s.args[1], true
    call('HSET', s.keys[META], 'id', s.soup, 'condition', RUNNING)
    for _, key in ipairs({CALLS, ENDED}) do call('PERSIST', s.keys[key]) end
  end
  local raw = s.token and chemistry(s).raw or {names = {}, reactions = {}, classes = {}, last = 0}
  local ids, is_new, kept, reaction_ids, added = {}, {}, {}, {}, {}
  for i, name in ipairs(names) do
    for id, known in ipairs(raw.names) do if known.label == name.label then ids[i] = id end end
    if not ids[i] then
      ids[i], is_new[i] = #raw.names + 1, true
      raw.names[ids[i]] = name
    end
  end
  for i, name in ipairs(names) do
    local known = raw.names[ids[i]]
    known.late, known.lifetime = name.late and ids[name.late] or false, name.lifetime or false
  end
  for i, reaction in ipairs(reactions) do
    for id, known in pairs(raw.reactions) do if known.label == reaction.label then reaction_ids[i] = id end end
    if not reaction_ids[i] then
      raw.last = raw.last + 1
      reaction_ids[i] = raw.last
      for k, name in ipairs(reaction.inputs) do reaction.inputs[k] = ids[name] end
      reaction.state = reaction.state and ids[reaction.state]
      raw.reactions[raw.last] = reaction
      table.insert(added, raw.last)
    end
    raw.reactions[reaction_ids[i]].losses = reaction.losses
    kept[reaction_ids[i]] = true
  end
  call('HSET', s.keys[META], 'names', #raw.names)
  set_chemistry(s, raw)
  note_use(s, reaction_ids)
  recover(s)
  retire(s, raw, kept, memory)
  for _, new in ipairs(initial) do
    if is_new[new[1]] then
      new[1] = ids[new[1]]
      put(s, new)
    end
  end
  -- A new reaction finds molecules that wait.
  local fields = #added > 0 and call('HKEYS', s.keys[KEYED]) or {}
  for _, id in ipairs(added) do
    s.touched[id] = true
    for _, field in ipairs(fields) do
      local name, key = string.match(field, '^(%d+):(.*)$')
      if tonumber(name) == raw.reactions[id].inputs[1] then note_ready(s, id, key) end
    end
  end
  note_change(s)
  return {s.soup, ids, reaction_ids}
end

-- The stored definition, for the comparison.
local function definition(s)
  local names, reactions = {}, {}
  if not s.token then return {'', names, reactions, ''} end
  for i, name in ipairs(chemistry(s).raw.names) do names[i] = {name.label, name.text} end
  for _, reaction in pairs(chemistry(s).raw.reactions) do table.insert(reactions, reaction.label) end
  return {s.token, names, reactions, s.stored}
end

local function destroy(s)
  stop_calls(s, true)
  broadcast(s, 'everybody')
  s.is_gone = true
  return {}
end

-- Runs an operation. Arguments: the soup, the process, the number of the call, the time by which a test has advanced
-- the clock, the prefix of channels, the number of names for whose bags there are keys, and the number of the last
-- writing call of the process that the server has acknowledged.
local function run(keys, args, operation, is_read)
  local s = {
    keys = keys, args = args, at = 7, soup = args[1], client = args[2], number = tonumber(args[3]), prefix = args[5],
    rings = {}, told = {}, woken = {}, touched = {}, lengths = {}, pending = {}, keyed = {}, dirty = {}}
  local has_lost = false
  if not is_read or operation == outcomes then
    local last = call('GET', keys[REPLY])
    local known = last and tonumber(string.match(last, '^%d+')) or 0
    if not is_read and known == s.number then
      call('EXPIRE', keys[REPLY], DAY)  -- a write, so that WAIT waits for it
      return unpacked(string.sub(last, string.find(last, ';') + 1))
    end
    if not is_read and known > s.number then return {'late'} end
    has_lost = known < tonumber(args[7])
  end
  local meta = call('HMGET', keys[META], 'id', 'token', 'condition', 'next', 'consumed', 'version', 'time', 'offset',
                    'swept', 'names', 'beat')
  local is_definition = operation == define or operation == definition
  local is_gone = meta[1] ~= s.soup and not is_definition
  local lost = has_lost and 1 or 0
  if is_gone then
    -- Callers read the outcomes that the end of the soup has left.
    local found = operation == outcomes and outcomes(s) or {}
    return #found > 0 and {'ok', 0, {}, found} or {'destroyed', lost}
  end
  if (tonumber(meta[10]) or 0) > tonumber(args[6]) then return {'names', tonumber(meta[10])} end
  if meta[1] then s.soup = meta[1] end
  s.stored, s.token, s.condition = meta[1] or '', meta[2], tonumber(meta[3]) or RUNNING
  s.next, s.consumed, s.version = tonumber(meta[4]) or 0, tonumber(meta[5]) or 0, tonumber(meta[6]) or 0
  s.swept, s.beat = tonumber(meta[9]) or 0, tonumber(meta[11])
  -- The soup's clock is never set back, whatever becomes of the server's.
  local time, offset, last = call('TIME'), tonumber(meta[8]) or 0, tonumber(meta[7]) or 0
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2]) + offset
  if now < last then now, offset = last, offset + last - now end
  s.now = now + tonumber(args[4])
  if has_lost and is_read then return {'lost'} end
  if not is_read and s.beat and now - last > s.beat then keep_leases(s, now - last) end
  local mends = has_lost and s.token
  if mends then end_leases_of_process(s) end
  local result, failure = operation(s)
  if is_read then return failure and {failure} or {'ok', 0, {}, result} end
  if failure and not mends then
    call('SET', keys[REPLY], args[3] .. ';' .. pack({failure, lost}), 'EX', DAY)
    return {failure, lost}
  end
  push(s)
  if s.is_gone then
    for i, key in ipairs(keys) do if i ~= REPLY and i ~= CALLS and i ~= ENDED then call('DEL', key) end end
    for _, key in ipairs({CALLS, ENDED}) do call('EXPIRE', keys[key], DAY) end
    chemistries[s.soup] = nil
  else
    for reaction, is_time in pairs(s.touched) do
      if chemistry(s).raw.reactions[reaction] and (is_time or can_start(s, reaction)) then wake(s, reaction) end
    end
    if s.rings_own and s.woken[s.rings_own] == false then table.insert(s.rings, 'class ' .. s.rings_own) end
    call('HSET', keys[META], 'condition', s.condition, 'next', s.next, 'consumed', s.consumed, 'version', s.version,
         'time', now, 'offset', offset, 'swept', s.swept)
  end
  local answer = failure and {failure, lost} or {'ok', lost, s.rings, result}
  call('SET', keys[REPLY], args[3] .. ';' .. pack(answer), 'EX', DAY)
  return answer
end

-- Without memory a soup takes no more, and all else goes on: so it can drain.
local function offer(name, operation, flags)
  local is_read = flags[1] == 'no-writes'
  redis.register_function{
    function_name = '@NAME@_' .. name, flags = flags,
    callback = function(keys, args) return run(keys, args, operation, is_read) end}
end

local GROWS, GOES_ON, READS = {}, {'allow-oom'}, {'no-writes'}
offer('define', define, GROWS)
offer('inject', inject, GROWS)
offer('destroy', destroy, GOES_ON)
offer('withdraw', withdraw_all, GOES_ON)
offer('register', register, GOES_ON)
offer('extend', extend, GOES_ON)
offer('commit', commit, GOES_ON)
offer('release', release, GOES_ON)
offer('condition', function(s) return set_condition(s, number(s)) end, GOES_ON)
offer('contents', contents, GOES_ON)
offer('end_drain', end_drain, GOES_ON)
offer('settle_dead', settle_dead, GOES_ON)
offer('definition', definition, READS)
offer('outcomes', outcomes, READS)
offer('molecules', molecules, READS)
offer('dead_firings', dead_firings, READS)
