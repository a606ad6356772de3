/** The formats of reports: the name of the reporter, the media type, and the extension of a file where there is one. */
export const formats = {
  text: { type: 'text/plain', extension: undefined },
  json: { type: 'application/json', extension: 'json' },
  junit: { type: 'application/xml', extension: 'xml' },
  markdown: { type: 'text/markdown', extension: 'md' },
  github: { type: 'text/plain', extension: undefined },
  sarif: { type: 'application/json', extension: 'sarif' },
  html: { type: 'text/html', extension: 'html' },
} as const

export type Format = keyof typeof formats
export const formatNames = Object.keys(formats) as Format[]

/** Those of scorecards and comparisons. */
export const commonFormats = ['text', 'json', 'markdown', 'html'] as const satisfies Format[]
export type CommonFormat = (typeof commonFormats)[number]
