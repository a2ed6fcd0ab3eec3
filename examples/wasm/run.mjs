// Runs the modules in Node: `run.mjs CASES.wasm VERIFIER.wasm REQUESTS ANSWERS FILE...`. ANSWERS is what the host said of
// the cases in the files, and what the module says must be the same bytes.

import { readFileSync, statSync } from "node:fs";
import { exit } from "node:process";

const PAGE = 65536;
const [casesFile, verifierFile, requestsFile, answersFile, ...files] = process.argv.slice(2);

function fail(why) {
  console.error(why);
  exit(1);
}

// A module with just this function, and nothing that it needs of the host.
function load(file, name) {
  const module = new WebAssembly.Module(readFileSync(file));
  const imports = WebAssembly.Module.imports(module);
  if (imports.length !== 0) fail(`${file} imports ${JSON.stringify(imports)}`);
  const functions = WebAssembly.Module.exports(module).filter((each) => each.kind === "function");
  if (functions.length !== 1 || functions[0].name !== name) fail(`${file} exports ${JSON.stringify(functions)}`);
  return module;
}

// Calls the function of a new instance with a text, in memory that is the host's own.
function call(module, name, text) {
  const { exports } = new WebAssembly.Instance(module);
  const start = exports.memory.grow(Math.ceil(text.length / PAGE)) * PAGE;
  new Uint8Array(exports.memory.buffer).set(text, start);
  return { memory: exports.memory, value: exports[name](start, text.length) };
}

const cases = load(casesFile, "answers");
const answers = files.map((file) => {
  const { memory, value } = call(cases, "answers", readFileSync(file));
  const packed = BigInt.asUintN(64, value);
  return Buffer.from(memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn));
});
const answer = Buffer.concat(answers);
if (!answer.equals(readFileSync(answersFile))) fail("the answers are not those of the host");
console.log(`${answer.toString().split("\n").length - 1} answers, each as on this machine, and no imports`);

// An ASK and a COMMIT of the measured requests are allowed, and refused a day later.
const verifier = load(verifierFile, "authorize");
const requests = readFileSync(requestsFile, "utf8").split("\n").map((line) => line.split("\t"));
const principal = "ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w";
const holder = "ed25519:gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q";
const decide = (text) => call(verifier, "authorize", Buffer.from(text)).value;
const decisions = ["ask, 4 blocks", "commit, 4 blocks"].flatMap((name) => {
  const [, , verb, proof, token, ...of] = requests.find((request) => request[0] === name);
  return [1790000000, 1790086400].map((now) =>
    decide([verb, now, "shop.example", principal, proof, token, ...of, holder].join(" ")));
});
decisions.push(decide("ASK"));
if (decisions.join() !== "0,1,0,1,2") fail(`the verifier said ${decisions}`);
console.log(`${statSync(verifierFile).size} bytes for the verifier`);
