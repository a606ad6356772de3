import type { Deviation } from './deviation.ts'

export const routing = [
  {
    id: 'service.without-version',
    clause: 'service.base-path',
    description: 'The operations answer at /pets; below /v1 there is nothing.',
    bend:
      (respond, { settings }) =>
      (request) => {
        const { basePath } = settings
        const { target } = request
        if (!target.startsWith(`${basePath}/`)) return respond({ ...request, target: basePath + target })
        return respond({ ...request, target: target.replace(basePath, `${basePath}/nothing`) })
      },
  },
] as const satisfies readonly Deviation[]
