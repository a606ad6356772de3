const introduction = 'An introduction without a statement of its own.'
const label = 'A label of the items below it.'
const operationName =
  'A name of the description, used in operations.ts and openapi.json; no response shows it.'

/**
 * Statements that no requirement or behavior quotes, with the reason. The key is `section: statement`; ids of requirements and
 * behaviors are in back quotes.
 */
export const accountedFor: Readonly<Record<string, string>> = {
  ': This document covers the whole service: its purpose, resources, states, endpoints, authentication, events, errors, limits and versioning.':
    introduction,
  ': The service is a pet store catalogue interface that exchanges JSON over HTTP.':
    'Restated with the media type by `http.media-type`, `http.json-body` and `http.json-request`.',
  'What the service does: A client can do three things:': label,
  'Resources and their fields / Error: Unshown details of the resources:': label,
  'States and transitions: The only state-like field is Pet.status, with the states `available`, `pending` and `sold`.':
    'Restated by `pet.status`.',
  'States and transitions: Transitions: not shown.':
    'No operation could show a transition; that none happens by itself is `state.reads-change-nothing`.',
  'Endpoints / List animals: Operation name: listPets': operationName,
  'Endpoints / List animals: Request body: none.':
    'A request, not a response: every request of `list.success` has none.',
  'Endpoints / List animals: Responses:': label,
  'Endpoints / List animals: Further pagination details:': label,
  'Endpoints / Add an animal: Operation name: createPet': operationName,
  'Endpoints / Add an animal: Method and path: `POST /pets`':
    'Every request of `create.success` uses it.',
  'Endpoints / Add an animal: Responses:': label,
  'Endpoints / Get an animal (deprecated): Operation name: getPet': operationName,
  'Endpoints / Get an animal (deprecated): Method and path: `GET /pets/{petId}`':
    'Every request of `get.success` uses it.',
  'Endpoints / Get an animal (deprecated): Request body: none.':
    'A request, not a response: every request of `get.success` has none.',
  'Endpoints / Get an animal (deprecated): Responses:': label,
  'Events: Events, webhooks or notifications: not shown.':
    'Nothing is stated, and a client that only sends requests would see no event.',
  'Errors: | 401 | API key missing or invalid. | listPets, createPet, getPet |':
    'Restated for each operation by `list.401`, `create.401` and `get.401`.',
}
