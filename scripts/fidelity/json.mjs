// Members inside JSON by their path, such as `beneficiaries.0.name`.

export const valueAt = (json, path) =>
  path === '' ? json : path.split('.').reduce((inside, name) => inside?.[name], json);

/** A copy with one member set; `undefined` leaves it out. */
export function withValue(json, path, value) {
  const copy = structuredClone(json) ?? {};
  const names = path.split('.');
  const last = names.pop();
  const inside = names.reduce((object, name) => (object[name] ??= {}), copy);
  if (value !== undefined) inside[last] = value;
  else if (Array.isArray(inside)) inside.splice(Number(last), 1);
  else delete inside[last];
  return copy;
}

/** A copy with several members set. */
export const withValues = (json, values) =>
  Object.entries(values).reduce((copy, [path, value]) => withValue(copy, path, value), json);

/** Texts such as `{id}` in a path, by the members of an object; each is one segment. */
export const filled = (path, values) =>
  path.replaceAll(/\{([\w.]+)\}/g, (_, name) => encodeURIComponent(valueAt(values, name)));

/** A query with its values encoded. */
export const queryOf = (values) =>
  Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((single) => [name, single]))
    .map(([name, value], at) => `${at ? '&' : '?'}${name}=${encodeURIComponent(value)}`)
    .join('');

/** A value as it is read later: times of a creation have a seventh digit, others have not. */
export const asRead = (value) =>
  value === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(value).replaceAll(
          /(T\d\d:\d\d:\d\d)\.(\d{1,6})\d*(?=[Z+-])/g,
          (_, seconds, part) => `${seconds}.${part.padEnd(6, '0')}`,
        ),
      );
