import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { count } from '../../report/text.ts'
import type { ExactPet } from '../../spec/types.ts'
import { Curl } from '../parts/copy.tsx'
import { Choose, Columns, Empty, Head, RowButton, Waiting } from '../parts/layout.tsx'
import { FileButton, saveFrom } from '../parts/files.tsx'
import { Search } from '../parts/search.tsx'
import { replacePets, useResource } from '../state/resource.ts'
import { href, setQuery, useRoute } from '../state/route.ts'
import { deletePet, PetForm } from './pet-form.tsx'

const pageSize = 50

/** The pets of the sandbox, fifty per page. */
export function Pets() {
  const { query } = useRoute()
  const [edited, setEdited] = useState<ExactPet | 'new'>()
  const page = Math.max(1, Number(query['page']) || 1)
  const { search = '', status = '', order = 'newest-first' } = query
  const parameters = new URLSearchParams({
    order,
    limit: String(pageSize),
    offset: String((page - 1) * pageSize),
    ...(search && { search }),
    ...(status && { status }),
  })
  const path = `/pets?${parameters.toString()}`
  const { data: pets, total = 0, error } = useResource<ExactPet[]>(path)

  return (
    <>
      <Head title="Pets">
        <button type="button" class="primary" onClick={() => setEdited('new')}>
          Add a pet
        </button>
        <FileButton label="Import" onFile={(file) => void importAll(file)} />
        <button type="button" onClick={() => void saveFrom('/pets', 'pets.json')}>
          Export
        </button>
      </Head>
      <Search label="Search by name or id">
        <Choose
          name="status"
          label="Status"
          value={status}
          options={['available', 'pending', 'sold']}
        />
        <select
          aria-label="Order"
          value={order}
          onChange={(event) => setQuery({ order: event.currentTarget.value, page: undefined })}
        >
          <option value="newest-first">Newest first</option>
          <option value="oldest-first">Oldest first</option>
        </select>
      </Search>
      {pets === undefined ? (
        <Waiting error={error} />
      ) : pets.length === 0 ? (
        <Empty title={search || status ? 'No pet matches' : 'There are no pets'}>
          <p>
            {search || status ? (
              <a href={href('pets')}>Show all pets</a>
            ) : (
              'Add one, import a file, or reset the mock.'
            )}
          </p>
        </Empty>
      ) : (
        <PetTable pets={pets} onEdit={setEdited} />
      )}
      <Pages page={page} total={total} />
      <Curl method="GET" path={path} />
      {edited !== undefined && (
        <PetForm pet={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function PetTable({
  pets,
  onEdit,
}: {
  pets: readonly ExactPet[]
  onEdit: (pet: ExactPet) => void
}) {
  return (
    <table>
      <caption class="hidden">Pets</caption>
      <Columns
        names={{ Id: 'number', Name: '', Category: 'number wide', Status: '', Actions: '' }}
      />
      <tbody>
        {pets.map((pet) => (
          <tr key={String(pet.id)}>
            <td class="number mono">{String(pet.id)}</td>
            <th scope="row" class="name">
              {pet.name.trim() === '' ? <span class="soft">(blank)</span> : <bdi>{pet.name}</bdi>}
            </th>
            <td class="number mono wide">{String(pet.categoryId)}</td>
            <td>
              {pet.status === undefined ? (
                <span class="soft">none</span>
              ) : (
                <PetState status={pet.status} />
              )}
            </td>
            <td class="actions end">
              <RowButton verb="Edit" name={nameOf(pet)} onClick={() => onEdit(pet)} />
              <RowButton
                verb="Delete"
                name={nameOf(pet)}
                kind="danger wide"
                onClick={() => deletePet(pet)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const nameOf = ({ name, id }: ExactPet): string => name.trim() || `pet ${id}`

function PetState({ status }: { status: string }) {
  const colors: Readonly<Record<string, string>> = { available: 'good', pending: 'warn' }
  return <span class={`tag ${colors[status] ?? ''}`}>{status}</span>
}

function Pages({ page, total }: { page: number; total: number }) {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const go = (to: number): void => setQuery({ page: to === 1 ? undefined : String(to) })
  return (
    <div class="pages">
      <p class="soft" role="status">
        {count(total, 'pet')}
        {pages > 1 && `, page ${page} of ${pages}`}
      </p>
      {pages > 1 && (
        <div class="actions">
          <button type="button" disabled={page <= 1} onClick={() => go(page - 1)}>
            Previous
          </button>
          <button type="button" disabled={page >= pages} onClick={() => go(page + 1)}>
            Next
          </button>
        </div>
      )}
    </div>
  )
}

/** Replaces all pets by those of a file. */
async function importAll(file: File): Promise<void> {
  await replacePets(
    async (replaced) => {
      const { pets } = (await replaced.json()) as ControlSchemas['PetCount']
      return `Replaced all pets by ${pets} of ${file.name}.`
    },
    'PUT',
    '/pets',
    await file.text(),
    file.name,
  )
}
