import { done, json, problem } from './api-replies.ts'
import type { Route } from './api-route.ts'

/** The snapshots of a world. */
export const snapshotRoutes: readonly Route[] = [
  {
    id: 'listSnapshots',
    method: 'GET',
    path: '/snapshots',
    summary: 'The snapshots of the pets',
    replies: { 200: { description: 'The snapshots, the oldest first.', schema: 'Snapshots' } },
    handle: ({ world }) => json(200, { snapshots: world.snapshots.list() }),
  },
  {
    id: 'saveSnapshot',
    method: 'PUT',
    path: '/snapshots/{name}',
    summary: 'Keep the pets under a name',
    description: 'In place of what had the name. There are at most 100; the oldest goes.',
    replies: {
      200: { description: 'The snapshot.', schema: 'Snapshot' },
      400: { description: 'A snapshot cannot have this name.', schema: 'Error' },
    },
    handle({ world, path }) {
      const { name = '' } = path
      world.snapshots.save(name)
      return json(200, world.snapshots.list().find((snapshot) => snapshot.name === name) ?? {})
    },
  },
  {
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Bring back the pets that were kept under a name',
    replies: {
      204: { description: 'The pets are as they were.' },
      404: { description: 'There is no such snapshot.', schema: 'Error' },
    },
    handle: ({ world, path: { name = '' } }) => (world.snapshots.restore(name) ? done() : noSnapshot(name)),
  },
  {
    id: 'deleteSnapshot',
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Forget a snapshot',
    replies: {
      204: { description: 'It is gone.' },
      404: { description: 'There is no such snapshot.', schema: 'Error' },
    },
    handle: ({ world, path: { name = '' } }) => (world.snapshots.delete(name) ? done() : noSnapshot(name)),
  },
]

const noSnapshot = (name: string) => problem(404, `There is no snapshot ${JSON.stringify(name)}.`)
