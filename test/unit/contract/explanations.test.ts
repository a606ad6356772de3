/** What the log says of an explanation, and what the suite requests next. No server, no clock: each test is a log of literals. */
import { describe, expect, test } from 'vitest'
import { explanations } from '../../../src/contract/judge/explanations.ts'
import { changedBy, othersChangedOwn, unseen } from '../../../src/contract/judge/status-changes.ts'
import {
  lacksOld,
  mayFillLater,
  mayFindLater,
  mayListLater,
} from '../../../src/contract/claims/late.ts'
import type { Created, PetList } from '../../../src/contract/judge/catalog.ts'
import {
  NotVerified,
  type ExplanationName,
  type Violation,
} from '../../../src/contract/judge/findings.ts'
import type { Question } from '../../../src/contract/judge/questions.ts'
import type { Log } from '../../../src/contract/judge/run-log.ts'
import type { SeenPet } from '../../../src/contract/judge/shapes.ts'
import { addTo, creating, logOf, type Row } from './log-of.ts'

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
const max = { id: 2, name: 'Max', categoryId: 7, status: 'pending' }
const own = { id: 9, name: 'Petkit a', categoryId: 7, status: 'sold' }
const other = { id: 10, name: 'Petkit b', categoryId: 7, status: 'sold' }
const all = 'GET /pets?limit=100'
const creation: Row = ['POST /pets', 201, own, creating(own.name)]
const assumptions = { windowMs: 5_000, getRemoved: false, isSmoke: false }

/** What an explanation comes to by the log: why it is possible, if it is, or the question that is open. */
type Conclusion = string | undefined | boolean | NotVerified | Question

/** The conclusion on a claim about the last responses of a log. */
function judge(name: ExplanationName, log: Log, more: Partial<Violation> = {}): Conclusion {
  const claim = { requirement: 'create.stored', message: '', expected: '', actual: '' } as const
  const exchanges = log.exchanges.slice(-2)
  return explanations[name].judge({ ...claim, exchanges, ...more }, log, assumptions).next().value
}

/** Responds to the question that is open, such as by `GET /pets/9` with 404. */
function respond(log: Log, open: Conclusion, ...rows: Row[]): void {
  if (typeof open !== 'object' || !('purpose' in open))
    throw new Error(`no question: ${String(open)}`)
  for (const [request, status, body] of rows)
    addTo(log, [request, status, body, { purpose: open.purpose }])
  log.posed.add(open.purpose)
}

const shownAs = (status: string): SeenPet => ({ ...own, status }) as SeenPet
const firstOf = (log: Log): Created => log.created[0] as Created
const moved = (own: Created, found: SeenPet, log: Log): Conclusion =>
  othersChangedOwn(own, found, log).next().value

describe('others change the statuses of pets', () => {
  test.each<[what: string, isPossible: boolean, rows: Row[]]>([
    [
      'no pet changes',
      false,
      [
        [all, 200, [rex, max]],
        [all, 200, [rex, max]],
      ],
    ],
    [
      'one does',
      true,
      [
        [all, 200, [rex, max]],
        [all, 200, [rex, { ...max, status: 'sold' }]],
      ],
    ],
    // Lists that differ may have different faults; the same request twice has not.
    [
      'by other requests',
      false,
      [
        [all, 200, [max]],
        ['GET /pets', 200, [{ ...max, status: 'sold' }]],
      ],
    ],
    [
      'a pet of the run does',
      false,
      [creation, [all, 200, [own]], [all, 200, [shownAs('pending')]]],
    ],
  ])('%s: %s', (_, isPossible, rows) => {
    expect(judge('otherStatusChanges', logOf(...rows)) !== undefined).toBe(isPossible)
  })

  test('a pet that was read with two statuses may have left the list of one', () => {
    const log = logOf([all, 200, [rex, max]])
    expect(judge('leftStatusList', log)).toBeUndefined()
    addTo(log, ['GET /pets/2', 200, { ...max, status: 'sold' }])
    expect(judge('leftStatusList', log)).toBe(explanations.leftStatusList.reason)
  })
})

describe('a pet of the run has another status', () => {
  const read = (status: string): Row => ['GET /pets/9', 200, shownAs(status)]
  /** Responds to three reads in a row. */
  const inARow = (log: Log, ...statuses: string[]): Conclusion => {
    for (const status of statuses)
      respond(log, moved(firstOf(log), shownAs('pending'), log), read(status))
    return moved(firstOf(log), shownAs('pending'), log)
  }

  test('others have changed it, if a read had shown it as it was sent', () => {
    const log = logOf(creation, read('sold'), read('pending'))
    expect(changedBy(firstOf(log), log)).toBeUndefined()
    expect(inARow(log, 'pending', 'pending', 'pending')).toBe(true)
    expect(changedBy(firstOf(log), log)).toBe('others')
  })

  test('reads change it, if each shows another one', () => {
    const log = logOf(creation, read('sold'), read('pending'))
    expect(inARow(log, 'sold', 'available', 'pending')).toBe(false)
    expect(changedBy(firstOf(log), log)).toBe('reads')
  })

  test('another name is no transition', () => {
    const log = logOf(creation, read('sold'))
    expect(moved(firstOf(log), { ...shownAs('pending'), name: 'Petkit x' }, log)).toBe(false)
  })

  test('if no read has shown it as it was sent, a new pet decides', () => {
    const log = logOf(creation, ['GET /pets/9', 200, shownAs('pending'), { at: 100 }])
    const found = shownAs('pending')
    const conclude = (): Conclusion => moved(firstOf(log), found, log)
    expect(conclude()).toMatchObject({ reads: [{ list: '/pets?limit=100' }, { get: 9 }] })
    respond(log, conclude(), read('pending'), [all, 200, [found]])
    expect(conclude()).toMatchObject({ create: { status: undefined, times: 1 } })
    expect(inNewPet(log, conclude, 'sold')).toMatchObject({ reads: [{ find: { pet: other } }] })
    // It is shown as sent at first, and changes, too.
    respond(log, conclude(), ['GET /pets/10', 200, { ...other, status: 'pending' }])
    expect(inARow(log, 'pending', 'pending', 'pending')).toBe(true)
  })

  test('a new pet that stays as it was sent refutes it', () => {
    const log = logOf(creation, ['GET /pets/9', 200, shownAs('pending'), { at: 100 }])
    const conclude = (): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    respond(log, conclude(), read('pending'))
    const later = inNewPet(log, conclude, 'sold')
    // 1.2 times as old as the first pet was when it had changed: 101 - 1 ms.
    expect(later).toMatchObject({ notBefore: expect.closeTo(151, 0) })
    respond(log, later, ['GET /pets/10', 200, other])
    expect(conclude()).toBe(false)
  })

  test('a pet that was first read when others could have moved it leaves it open', () => {
    const log = logOf(creation, ['GET /pets/9', 200, shownAs('pending'), { at: 2_000 }])
    const conclude = (): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    respond(log, conclude(), read('pending'))
    const later = inNewPet(log, conclude, 'sold')
    respond(log, later, ['GET /pets/10', 200, other])
    expect(conclude()).toEqual(new NotVerified(unseen))
  })

  test('a new pet that is never shown as it was sent refutes it', () => {
    const log = logOf(creation, read('pending'))
    const conclude = (): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    respond(log, conclude(), read('pending'))
    expect(inNewPet(log, conclude, 'pending')).toBe(false)
  })

  test('a target that takes no more pets leaves it open', () => {
    const log = logOf(creation, read('pending'))
    const conclude = (): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    respond(log, conclude(), read('pending'))
    respond(log, conclude(), ['POST /pets', 429, {}])
    expect(conclude()).toEqual(new NotVerified(`${unseen}: POST /pets responded 429`))
  })

  test.each<[what: string, rows: Row[]]>([
    ['a run that may create no more pets', []],
    ['a creation that gets a server error', [['POST /pets', 503, {}]]],
  ])('%s leaves it open', (_what, rows) => {
    const log = logOf(creation, read('pending'))
    const conclude = (): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    respond(log, conclude(), read('pending'))
    respond(log, conclude(), ...rows)
    expect(conclude()).toMatchObject({
      message: expect.stringContaining(unseen),
    })
  })

  describe('while others change the statuses of theirs', () => {
    const third = { ...own, id: 11, name: 'Petkit c' }
    const [first, sold] = [rex, { ...rex, status: 'sold' }]
    const open = (...more: Row[]): Log =>
      logOf([all, 200, [first]], creation, read('pending'), [all, 200, [sold]], ...more)
    const conclude = (log: Log): Conclusion => moved(firstOf(log), shownAs('pending'), log)
    const second = (status: string): Row[] => [
      ['POST /pets', 201, third, creating(third.name)],
      ['GET /pets/11', 200, { ...third, status }],
    ]

    test('the service stores another one, where two new pets have it at once, and keep it', () => {
      const log = open(...second('pending'))
      for (const id of [9, 11]) {
        const pet = id === 9 ? own : third
        // Four times as old as at the first read: 11 ms after it was sent.
        const at = id === 9 ? 54 : 84
        expect(conclude(log)).toMatchObject({ notBefore: at, reads: [{ get: id }] })
        const shown: Row = [`GET /pets/${id}`, 200, { ...pet, status: 'pending' }, { at }]
        const { purpose } = conclude(log) as { purpose: string }
        addTo(log, [...shown.slice(0, 3), { at, purpose }] as unknown as Row)
        log.posed.add(purpose)
      }
      expect(conclude(log)).toBe(false)
    })

    test.each<[what: string, rows: Row[]]>([
      ['one is moved on', [...second('pending'), ['GET /pets/9', 200, own, { at: 100 }]]],
      ['they are moved to different ones', second('available')],
      ['a read has shown one as it was sent', second('sold')],
    ])('others move them, where %s', (_what, rows) => {
      expect(conclude(open(...rows))).toMatchObject({ reads: [{ find: { pet: own } }] })
    })

    test('one more pet decides, where there is none', () => {
      expect(conclude(open())).toMatchObject({ create: { times: 1 } })
    })
  })

  /** Creates the new pet, and reads it at once with this status. */
  function inNewPet(log: Log, conclude: () => Conclusion, status: string): Conclusion {
    const open = conclude()
    if (typeof open !== 'object' || !('create' in open)) throw new Error('no creation')
    const { purpose } = open
    addTo(log, ['POST /pets', 201, other, { ...creating(other.name), purpose, at: 30 }])
    log.posed.add(purpose)
    respond(log, conclude(), ['GET /pets/10', 200, { ...other, status }])
    return conclude()
  }
})

describe('a pet of the run is gone', () => {
  const gone: Row = ['GET /pets/9', 404]
  const lists: Row[] = [[all, 200, [rex]]]
  const conclude = (log: Log): Conclusion =>
    judge('ownPetRemoved', log, {
      unless: { ownPetRemoved: 9 },
      exchanges: log.exchanges.slice(0, 2),
    })

  test('others may have removed it, if it was shown and stays away', () => {
    const log = logOf(creation, ['GET /pets/9', 200, own], gone)
    for (let read = 1; read <= 5; read += 1) respond(log, conclude(log), gone)
    expect(conclude(log)).toMatchObject({
      reads: expect.arrayContaining([{ list: '/pets?limit=100' }]),
    })
    respond(log, conclude(log), ...lists)
    expect(conclude(log)).toBe('others seem to have removed or changed pet 9 of the run')
  })

  test('others may have removed it before it was shown, if getPet finds new pets late', () => {
    const late: Row[] = [
      ['GET /pets/10', 404],
      ['GET /pets/10', 200, other],
    ]
    const log = logOf(creation, gone, ['POST /pets', 201, other, creating(other.name)], ...late)
    for (let read = 1; read <= 5; read += 1) respond(log, conclude(log), gone)
    respond(log, conclude(log), ...lists)
    respond(log, conclude(log), ['GET /pets/10', 200, other])
    expect(conclude(log)).toBe('others seem to have removed or changed pet 9 of the run')
  })

  test('one read that shows it refutes that', () => {
    const log = logOf(creation, ['GET /pets/9', 200, own], gone)
    respond(log, conclude(log), gone)
    respond(log, conclude(log), ['GET /pets/9', 200, own])
    expect(conclude(log)).toBeUndefined()
  })

  test('so does the name of another pet of the run', () => {
    const log = logOf(creation, ['GET /pets/9', 200, own], gone)
    respond(log, conclude(log), ['GET /pets/9', 200, { ...own, name: other.name }])
    expect(conclude(log)).toBeUndefined()
  })

  /** A log in which both pets of the run are gone, up to what a pet of others shows. */
  function withoutBoth(ofOthers: Row): Log {
    const log = logOf(
      [all, 200, [rex]],
      creation,
      ['POST /pets', 201, other, creating(other.name)],
      ['GET /pets/9', 200, own],
      gone,
    )
    for (let read = 1; read <= 5; read += 1) respond(log, conclude(log), gone)
    respond(log, conclude(log), [all, 200, []])
    expect(conclude(log)).toMatchObject({ reads: [{ get: 10 }] })
    respond(log, conclude(log), ['GET /pets/10', 404])
    expect(conclude(log)).toMatchObject({ reads: [{ find: { pet: rex } }] })
    respond(log, conclude(log), ofOthers)
    return log
  }

  test('so does another pet of the run that is gone, unless a pet of others is gone, too', () => {
    expect(conclude(withoutBoth(['GET /pets/1', 404]))).toContain('pet 9 of the run')
  })

  /** Creates the pet that the conclusion asks for, and returns the reads that come next, with a rest between. */
  function createNext(log: Log, id: number): void {
    const open = conclude(log)
    if (typeof open !== 'object' || !('create' in open)) throw new Error('no creation')
    const { purpose } = open
    const name = `Petkit ${id}`
    addTo(log, ['POST /pets', 201, { ...own, id, name }, { ...creating(name), purpose }])
    log.posed.add(purpose)
  }

  /** A log in which both pets of the run are gone at once, as are two new ones later. */
  function swept(): Log {
    const log = withoutBoth(['GET /pets/1', 200, rex])
    expect(conclude(log)).toMatchObject({ reads: [{ get: 9 }, { get: 10 }] })
    respond(log, conclude(log), gone, ['GET /pets/10', 404])
    createNext(log, 11)
    respond(log, conclude(log))
    createNext(log, 12)
    const both = [11, 12].map((id): Row => [
      `GET /pets/${id}`,
      200,
      { ...own, id, name: `Petkit ${id}` },
    ])
    const neither = [11, 12].map((id): Row => [`GET /pets/${id}`, 404])
    respond(log, conclude(log), ...both)
    respond(log, conclude(log), ...both)
    respond(log, conclude(log), ...neither)
    respond(log, conclude(log), ...neither)
    expect(conclude(log)).toMatchObject({ reads: [{ get: 9 }, { get: 10 }] })
    return log
  }

  test('or all are gone at once, and new ones are there together, and are gone together', () => {
    const log = swept()
    respond(log, conclude(log), gone, ['GET /pets/10', 404])
    expect(conclude(log)).toContain('test pets')
  })

  test('a pet that is there again was not removed', () => {
    const log = swept()
    respond(log, conclude(log), gone, ['GET /pets/10', 200, other])
    expect(conclude(log)).toBeUndefined()
  })

  const there = (id: number): Row => [`GET /pets/${id}`, 200, { ...own, id, name: `Petkit ${id}` }]

  test('a service that loses each pet after the next creation shows no two together', () => {
    const log = withoutBoth(['GET /pets/1', 200, rex])
    respond(log, conclude(log), gone, ['GET /pets/10', 404])
    createNext(log, 11)
    for (const id of [12, 13]) {
      respond(log, conclude(log), there(id - 1))
      createNext(log, id)
      respond(log, conclude(log), [`GET /pets/${id - 1}`, 404], there(id))
    }
    expect(conclude(log)).toBeUndefined()
  })

  test('a job that has come between the reads of a pair has taken the first pet of the next one', () => {
    const log = withoutBoth(['GET /pets/1', 200, rex])
    respond(log, conclude(log), gone, ['GET /pets/10', 404])
    createNext(log, 11)
    const befores: Row[] = [there(11), ['GET /pets/12', 404]]
    for (const [place, before] of befores.entries()) {
      const id = 12 + place
      respond(log, conclude(log), before)
      createNext(log, id)
      respond(log, conclude(log), [`GET /pets/${id - 1}`, 404], there(id))
    }
    expect(conclude(log)).toBeDefined()
    respond(log, conclude(log), ['GET /pets/13', 404])
    createNext(log, 14)
    respond(log, conclude(log), ['GET /pets/13', 404], there(14))
    expect(conclude(log)).toBeUndefined()
  })

  test('a service that loses pets at an age loses the older one first', () => {
    const log = withoutBoth(['GET /pets/1', 200, rex])
    respond(log, conclude(log), gone, ['GET /pets/10', 404])
    createNext(log, 11)
    respond(log, conclude(log))
    createNext(log, 12)
    const looks = [11, 12].map(there)
    respond(log, conclude(log), ...looks)
    for (let look = 1; look <= 2; look += 1)
      respond(log, conclude(log), ['GET /pets/11', 404], ...looks.slice(1))
    expect(conclude(log)).toBeUndefined()
  })

  test('a pet that was never shown is lost, unless pets of others are gone', () => {
    const log = logOf(creation, gone)
    expect(conclude(log)).toMatchObject({
      reads: expect.arrayContaining([{ list: '/pets?limit=100' }]),
    })
    respond(log, conclude(log), ...lists)
    expect(conclude(log)).toBeUndefined()
  })
})

describe('an id was given twice', () => {
  const again: Row = [
    'POST /pets',
    201,
    { ...own, name: 'Petkit c' },
    { ...creating('c'), at: 500 },
  ]

  test('creations side by side decide', () => {
    const log = logOf(creation, again)
    const exchanges = log.exchanges.slice()
    const conclude = (): Conclusion => judge('idReused', log, { exchanges })
    expect(conclude()).toMatchObject({ create: { times: 4 } })
    respond(log, conclude(), ['POST /pets', 201, { ...own, id: 20 }])
    expect(conclude()).toBe(explanations.idReused.reason)
  })

  test('once in a smoke run, others may have removed the pet', () => {
    const log = logOf([all, 200, [rex]], ['POST /pets', 201, { ...own, id: 1 }, creating('a')])
    const claim = { requirement: 'pet.id.unique', message: '', expected: '', actual: '' } as const
    const { exchanges } = log
    const smoke = { ...assumptions, isSmoke: true }
    const judging = explanations.idReused.judge({ ...claim, exchanges }, log, smoke)
    expect(judging.next().value).toBe(explanations.idReused.reason)
  })

  test('at the same moment, or more than once, others have not removed it if no pet of others is gone', () => {
    const log = logOf([all, 200, [rex]], creation, [
      ...again.slice(0, 3),
      { ...creating('c'), at: 12 },
    ] as unknown as Row)
    const exchanges = log.exchanges.slice(-2)
    const conclude = (): Conclusion => judge('idReused', log, { exchanges })
    respond(log, conclude(), [all, 200, [rex]])
    expect(conclude()).toBeUndefined()
  })

  test('together with a name, further creations with that name decide', () => {
    const body = '{"name":"Petkit a"}'
    const conclude = (log: Log): Conclusion =>
      judge('idReused', log, { exchanges: log.exchanges.slice(0, 2) })
    const open = (): Log =>
      logOf(creation, ['POST /pets', 201, own, { ...creating(own.name), at: 500, body }])
    const question = { create: { like: { name: own.name, body }, times: 2 } }
    const [gone, looked] = [open(), open()]
    expect(conclude(gone)).toMatchObject(question)
    respond(gone, conclude(gone), ['POST /pets', 201, other], ['POST /pets', 201, own])
    expect(conclude(gone)).toBe(explanations.idReused.reason)
    respond(looked, conclude(looked), ['POST /pets', 201, own], ['POST /pets', 201, own])
    expect(conclude(looked)).toBeUndefined()
    // The run may create no more, or the target takes no more.
    const [full, last] = [open(), open()]
    respond(full, conclude(full))
    expect(conclude(full)).toBe(explanations.idReused.reason)
    respond(last, conclude(last), ['POST /pets', 201, own])
    expect(conclude(last)).toBeUndefined()
  })

  test('more than once, though pets of others are gone, creations side by side decide', () => {
    const onceMore: Row = ['POST /pets', 201, { ...own, name: 'Petkit d' }, creating('d')]
    const open = (): Log => logOf([all, 200, [rex, max]], creation, again, onceMore)
    const conclude = (log: Log): Conclusion =>
      judge('idReused', log, { exchanges: log.exchanges.slice(2, 4) })
    const creations = (log: Log, ...ids: number[]): void =>
      respond(log, conclude(log), ...ids.map((id): Row => ['POST /pets', 201, { ...own, id }]))
    const [one, two, different] = [open(), open(), open()]
    for (const log of [one, two, different]) {
      respond(log, conclude(log), [all, 200, [max]])
      respond(log, conclude(log), ['GET /pets/1', 404, {}])
      expect(conclude(log)).toMatchObject({ create: { times: 4 } })
    }
    creations(one, 9, 9)
    expect(conclude(one)).toBeUndefined()
    creations(two, 20, 21, 20, 21)
    expect(conclude(two)).toBeUndefined()
    creations(different, 20, 21, 22, 23)
    expect(conclude(different)).toBe(explanations.idReused.reason)
  })

  test('others removed the pet, if a list lacked it before a new pet got its id', () => {
    const reused: Row[] = [
      ['POST /pets', 201, { ...own, id: 1 }, creating(own.name)],
      ['POST /pets', 201, { ...other, id: 2 }, creating(other.name)],
    ]
    const before: Row = [all, 200, [rex, max]]
    const conclude = (log: Log): Conclusion => judge('idReused', log)
    expect(conclude(logOf(before, [all, 200, []], ...reused))).toMatchObject({ create: {} })
    expect(conclude(logOf(before, before, ...reused))).toMatchObject({ reads: expect.anything() })
  })
})

test.each<[headers: Record<string, string>, isPossible: boolean]>([
  [{}, false],
  [{ age: '3' }, true],
  [{ 'cache-control': 'max-age=60' }, true],
  [{ 'cache-control': 'no-store' }, false],
  [{ 'x-cache': 'HIT' }, true],
])('a response with %o comes from a cache: %s', (headers, isPossible) => {
  const log = logOf(creation, [all, 200, [rex], { headers }])
  expect(judge('cached', log) !== undefined).toBe(isPossible)
  // One response needs no other to be wrong.
  expect(judge('cached', log, { exchanges: log.exchanges.slice(-1) })).toBeUndefined()
})

describe('late', () => {
  const listIn = (log: Log): PetList => log.lists.at(-1) as PetList

  test('a pet from before the first creation is not, unless others add pets to an index of statuses', () => {
    const available = 'GET /pets?status=available&limit=100'
    const log = logOf([available, 200, [rex]], creation, [all, 200, [max]])
    expect(mayListLater(listIn(log), rex as SeenPet, log)).toBe(false)
    addTo(log, [available, 200, [{ ...rex, id: 30 }]])
    expect(mayListLater(listIn(log), rex as SeenPet, log)).toBe(true)
  })

  test('a new pet may be, but not one that the list shows with another id', () => {
    const log = logOf([all, 200, [rex]], creation, [all, 200, [rex]])
    expect(mayListLater(listIn(log), own as SeenPet, log)).toBe(true)
    addTo(log, [all, 200, [rex, { ...own, id: 31 }]])
    expect(mayListLater(listIn(log), own as SeenPet, log)).toBe(false)
  })

  test('a page is, if it lacks no more pets than there are new ones that no list has shown', () => {
    const log = logOf([all, 200, [rex, max]], creation, ['GET /pets?limit=3', 200, [rex, max]])
    const page = listIn(log)
    expect(mayFillLater(page, 3, log.lists, log)).toBe(true)
    addTo(log, [all, 200, [rex, max, own]])
    expect(mayFillLater(page, 3, log.lists, log)).toBe(false)
  })

  test('a page is not, if a list beside it that should show fewer shows more old pets', () => {
    const [two, three]: Row[] = [
      ['GET /pets?limit=2', 200, [rex, max]],
      ['GET /pets?limit=3', 200, [rex]],
    ] as Row[]
    const log = logOf([all, 200, [rex, max]], creation, two as Row, three as Row)
    const [wide, narrow, page] = log.lists as [PetList, PetList, PetList]
    const there = [rex.id, max.id]
    expect(lacksOld(page, there, [narrow], log)).toBe(true)
    // The longest list hides a new pet, too: both may wait for it.
    expect(lacksOld(page, there, [wide], log)).toBe(false)
    // The page itself does: that explains nothing.
    expect(lacksOld(page, there, [page], log)).toBe(true)
    addTo(log, [all, 200, [rex, max, own]])
    expect(lacksOld(page, there, log.lists.slice(-1), log)).toBe(true)
    // Others add pets, of which one of several servers may learn later.
    addTo(log, [all, 200, [rex, max, own, { ...rex, id: 30 }]])
    expect(lacksOld(page, there, [narrow], log)).toBe(false)
  })

  test('getPet may be, until it has shown the pet or a later one', () => {
    const log = logOf([all, 200, [rex]], creation, ['POST /pets', 201, other, creating(other.name)])
    const late = (pet: typeof own, at: number): boolean => {
      const response = { ...addTo(log, [`GET /pets/${pet.id}`, 404, '', { at }]) }
      const created = log.created.find((one) => one.pet.id === pet.id) as Created
      return mayFindLater(created, 'createPet', response, log, assumptions)
    }
    expect(late(own, 9_000)).toBe(true)
    addTo(log, ['GET /pets/10', 200, other])
    expect(late(own, 9_000)).toBe(false)
    // Within the window, replicas may learn of pets in any order.
    expect(late(own, 4_000)).toBe(true)
  })
})
