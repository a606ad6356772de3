const date = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])'
const time = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const seconds = '(?::[0-5][0-9](?:\\.[0-9]{1,9})?)?'
const offset = `(?:Z|[+-]${time})?`

/**
 * A date, or a date and a time, of those that ECMAScript describes: what else `Date.parse` takes for one differs between
 * engines, and a 7 would be a month.
 */
export const instant = new RegExp(`^${date}(?:T${time}${seconds}${offset})?$`)
