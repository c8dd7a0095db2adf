// The steps of scripts/dev that make its demo org (see demo_org.mjs). Two of them, because a tool can be granted only once
// a worker has announced it: `prepare` comes before the worker, `grant` waits for its tools.
import { DemoOrg } from "./demo_org.mjs";

const steps = {
  prepare: (org) => org.prepare(),
  async grant(org) {
    await org.grant();
    await org.explorers();
  },
};

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

try {
  const step = steps[process.argv[2]];
  if (step === undefined) throw new Error("usage: node scripts/demo.mjs prepare|grant");
  await step(new DemoOrg({ url: required("TOOLGATE_URL"), file: required("DEMO_ENV"), rootToken: process.env.TOOLGATE_ROOT_TOKEN }));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
