/** The line of docs/reference/specification.md on which each section begins that a clause names. */
export const specificationLines: Readonly<Record<string, number>> = {
  'What the service does': 5,
  'Resources and their fields': 17,
  'States and transitions': 61,
  Endpoints: 69,
  'Endpoints / List animals': 73,
  'Endpoints / Add an animal': 93,
  'Endpoints / Get an animal (deprecated)': 103,
  Authentication: 115,
  Errors: 126,
  Limits: 138,
  Versioning: 148,
}
