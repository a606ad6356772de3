import type { ControlSchemas } from '../../control.gen.ts'
import { sandbox, sandboxOfToken } from '../state/api.ts'
import { useResource } from '../state/resource.ts'
import { useCell } from '../state/store.ts'

/** Other sandboxes that are offered. */
const mostOthers = 5

/** Where requests with other keys are, which an empty sandbox may be waiting for. */
export function Elsewhere({ also = '' }: { also?: string }) {
  const name = useCell(sandbox)
  const { data } = useResource<ControlSchemas['Sandboxes']>('/sandboxes?scores=false')
  const others = (data?.sandboxes ?? [])
    .filter((one) => one.requests > 0 && one.name !== name)
    .toSorted((one, other) => other.requests - one.requests)
    .slice(0, mostOthers)
  // The list of sandboxes does not have main.
  const isMain = name === '' || sandboxOfToken() !== ''
  if (others.length === 0 && isMain) return null
  return (
    <>
      Requests with another key are in their sandbox{also}:{' '}
      {!isMain && (
        <a class="link" href="#/requests">
          main
        </a>
      )}
      {others.map((one) => (
        <a key={one.name} class="link" href={`#/requests?sandbox=${one.name}`}>
          {one.name} ({one.requests})
        </a>
      ))}
      <br />
    </>
  )
}
