/** The formats of reports, by the name of the reporter: the media type of each. */
export const formats = {
  text: 'text/plain',
  json: 'application/json',
  junit: 'application/xml',
  markdown: 'text/markdown',
  github: 'text/plain',
  sarif: 'application/json',
  html: 'text/html',
} as const

export type Format = keyof typeof formats
export const formatNames = Object.keys(formats) as Format[]

/** Those of scorecards and comparisons. */
export const commonFormats = ['text', 'json', 'markdown', 'html'] as const
