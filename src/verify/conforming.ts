import type { Conforming } from '../contract/judge/beside.ts'

/** What the mock says, with the observed profile and the pets that responses have shown. It is loaded for the first violation. */
export const conforming: Conforming = async ({ key, pets, profile, now, ...request }) => {
  const [{ createMock }, { readProfile }] = await Promise.all([
    import('../mock/sandbox/mock.ts'),
    import('../mock/sandbox/profile.ts'),
  ])
  const mock = createMock({
    data: pets,
    keys: [key],
    basePath: '',
    sandboxes: false,
    now,
    // The order of the pets is the one of the list that they come from.
    profile: { ...readProfile(profile, 'the run').profile, 'list.order': 'oldest-first' },
  })
  const { status, headers, body, reason } = await mock.handle(request)
  return { status, headers, body, reason }
}
