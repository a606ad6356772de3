import type { Deviation } from './deviation.ts'

export const routing = [
  {
    id: 'service.without-version',
    clause: 'service.base-path',
    description: 'The operations respond at /pets; below /v1 a valid key finds nothing.',
    apply:
      (respond, { settings }) =>
      (request) => {
        const { basePath } = settings
        const { target } = request
        if (!target.startsWith(`${basePath}/`)) return respond({ ...request, target: basePath + target })
        // A pet that is not there: 401 without the key, as whatever stands before the routes says, and 404 with it.
        return respond({ ...request, method: 'GET', target: `${basePath}/pets/-9223372036854775808`, body: '' })
      },
  },
] as const satisfies readonly Deviation[]
