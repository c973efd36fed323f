import { describe, it } from '#test';
describe("x", () => { it("y", () => {}); });
