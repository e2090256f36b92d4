#pragma once
/* What a shared object offers that `isomer compile` wrote. Plain C; it needs the C library only.
 *
 *   isomer_model* model = isomer_model_new(2);
 *   const void* inputs[] = {x};   // whole tensors, row-major, in the order of the description
 *   void* outputs[] = {y};
 *   isomer_model_run(model, inputs, outputs);
 *   isomer_model_delete(model);
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct IsomerRun isomer_model;

/* A JSON object: "inputs" and "outputs", each with "name", "type" (f32, i64, bool, ...) and "shape"; "cpu",
 * or "gpu" of a model that was compiled for a graphics processor. */
const char* isomer_model_description(void);
/* Prepares the weights. Null where memory or threads are lacking. `threads` counts the one that calls. */
isomer_model* isomer_model_new(int threads);
/* Reads the inputs and writes the outputs; bools are bytes, 0 or 1. One call at a time for each model. */
void isomer_model_run(isomer_model* model, const void* const* inputs, void* const* outputs);
void isomer_model_delete(isomer_model* model);
/* What the last call in this process failed at: text that lives until the next one. Null: it did not fail. */
const char* isomer_model_error(void);

/* Of models compiled for a graphics processor only. */

/* Tensors are on the processor, at multiples of 16 bytes; the work is put into a stream of the driver's
 * interface (null: the default one) and not waited for. Memory that a run works in belongs to the model: what
 * is put into another stream, or run by isomer_model_run, must come when the work is done. */
void isomer_model_enqueue(isomer_model* model, const void* const* inputs, void* const* outputs, void* stream);
/* Runs `count` times more on the inputs of the last run: the seconds of each, by the processor's clock. */
void isomer_model_time(isomer_model* model, double* seconds, int count);

#ifdef __cplusplus
}
#endif
