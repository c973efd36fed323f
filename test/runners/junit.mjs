// Reads the JUnit report that Node, Deno and Bun all write, each with its own habits.
const TAG = /<(\/?)(testsuite|testcase|failure|skipped)((?:\s+[\w-]+="[^"]*")*)\s*(\/?)>/g;

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (text) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => ENTITIES[name]);

const attribute = (attributes, name) =>
  plain(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');

// Deno names the place in its own source as the suite, and its cases carry the whole path.
const isPlaceInRuntime = (name) => name.startsWith('ext:');

// The message first, then the first line of the stack that lies in a test.
const describeFailure = (message, body) => {
  const place = plain(body)
    .split('\n')
    .find((line) => /\bat\b.*\/test\//.test(line));
  return [message, place?.trim()].filter(Boolean).join('\n');
};

const readCases = (xml) => {
  const suites = [];
  const cases = [];
  for (const match of xml.matchAll(TAG)) {
    const [tag, closing, kind, attributes] = match;
    const name = attribute(attributes, 'name');
    if (kind === 'testsuite') {
      if (closing) suites.pop();
      else if (!tag.endsWith('/>')) suites.push(name);
    } else if (kind === 'testcase' && !closing) {
      const path = [...suites.filter((suite) => !isPlaceInRuntime(suite)), name].join(' › ');
      cases.push({ name, path, file: attribute(attributes, 'file') });
    } else if (kind === 'failure' && !closing) {
      const body = xml.slice(match.index + tag.length, xml.indexOf('</failure>', match.index));
      cases.at(-1).failure = describeFailure(attribute(attributes, 'message'), body);
    }
  }
  return cases;
};

/** Tests that passed and those that failed. */
export function readReport(xml) {
  const cases = readCases(xml);
  // Deno reports a group as one more test, whose name begins those of its members.
  const isGroup = (group) => cases.some(({ name }) => name.startsWith(`${group.name} > `));
  // Node reports a file without a test as a test that passed.
  const isEmptyFile = ({ name, file, failure }) =>
    !failure && /\.m?[jt]s$/.test(name) && file.endsWith(name);
  const tests = cases.filter((one) => !isGroup(one) && !isEmptyFile(one));
  const failures = tests
    .filter(({ failure }) => failure)
    .map(({ path, failure }) => ({ name: path, message: failure }));
  return { passed: tests.length - failures.length, failures };
}
